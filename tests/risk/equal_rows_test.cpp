// Rows that are the same are left out together.
#include "risk/equal_rows.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "helpers.hpp"
#include "priorfit/initialisation.hpp"
#include "priorfit/kernel.hpp"
#include "priorfit/preparation.hpp"
#include "priorfit/trained_risk.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::random_matrix;

Matrix repeated(const Matrix& matrix, const std::vector<Index>& rows) { return matrix(rows, Eigen::all); }

std::vector<Index> three_times(Index rows) {
  std::vector<Index> out;
  for (Index k = 0; k < 3 * rows; ++k) out.push_back(k % rows);
  return out;
}

TEST(EqualRows, AreGroupedInOrderOfFirstAppearance) {
  const Matrix inputs{{1, 2}, {3, 4}, {1, 2}, {1, 4}, {-0.0, 4}, {3, 4}, {1, 2}, {0.0, 4}};
  const EqualRows rows = find_equal_rows(inputs);
  EXPECT_EQ(rows.group, (std::vector<Index>{0, 1, 0, 2, 3, 1, 0, 3}));
  EXPECT_EQ(rows.first, (std::vector<Index>{0, 1, 3, 4}));
  EXPECT_EQ(rows.counts, (Vector{{3.0, 2.0, 1.0, 2.0}}));
  EXPECT_FALSE(rows.all_differ());
  EXPECT_TRUE(find_equal_rows(random_matrix(50, 1, 1)).all_differ());
  const Matrix targets{{1}, {2}, {3}, {4}, {5}, {6}, {8}, {9}};
  EXPECT_TRUE(mean_rows(rows, targets).isApprox(Matrix{{4}, {4}, {4}, {7}}));
}

TEST(EqualRows, AreLeftOutTogether) {
  const std::vector<Index> group = {0, 1, 2, 1, 3, 4, 5, 4, 6, 7, 4, 8};
  const Matrix inputs = repeated(random_matrix(9, 3, 1), group), targets = random_matrix(12, 2, 2);
  const NetworkSpec network = NetworkSpec::uniform(2, 60, Activation::parse("gelu"));
  const std::vector<LayerPrior> prior = {{1.5, 0.2}, {1.2, 0.1}, {0.3, 0.0}};
  const double ridge = 1e-2;
  TrainedRiskEngine engine(inputs, targets, Task::regression, network,
                           {.optimizer = Optimizer::gradient_descent, .ridge = ridge});
  const TrainedRisk risk = engine.evaluate(prior);
  Matrix theta = tangent_kernel(network, prior, inputs);
  const Matrix k = covariance(network, prior, inputs);
  const Matrix cross_theta = theta;
  theta.diagonal().array() += ridge * theta.diagonal().mean();
  double data_error = 0.0, start_error = 0.0;
  for (Index i = 0; i < 12; ++i) {
    std::vector<Index> rest;
    for (Index j = 0; j < 12; ++j) {
      if (group[std::size_t(j)] != group[std::size_t(i)]) rest.push_back(j);
    }
    const Eigen::MatrixXd rest_theta = theta(rest, rest), rest_k = k(rest, rest);
    const Eigen::VectorXd weights = rest_theta.llt().solve(Eigen::VectorXd(cross_theta(rest, i)));
    const Eigen::RowVectorXd error = targets.row(i) - weights.transpose() * targets(rest, Eigen::all);
    data_error += error.squaredNorm() / 2 / 12;
    start_error += (k(i, i) - 2 * weights.dot(Eigen::VectorXd(k(rest, i))) + weights.dot(rest_k * weights)) / 12;
  }
  EXPECT_NEAR(risk.data_error, data_error, 1e-9 * data_error);
  EXPECT_NEAR(risk.initialisation_error, start_error, 1e-7 * start_error);
}

// Three times every row: descent takes the same way, and to its end it is that of a third of the ridge.
TEST(EqualRows, ThriceTheTableIsTheTable) {
  const Matrix inputs = random_matrix(20, 3, 1), targets = random_matrix(20, 2, 2);
  const Matrix thrice = repeated(inputs, three_times(20)), thrice_targets = repeated(targets, three_times(20));
  const NetworkSpec network = NetworkSpec::uniform(1, 60);
  for (const bool stopped : {false, true}) {
    for (const Optimizer optimizer : {Optimizer::adam, Optimizer::gradient_descent}) {
      if (stopped && optimizer == Optimizer::adam) continue;  // is not known for Adam
      TrainedRiskOptions options{.optimizer = optimizer, .ridge = 0.01};
      if (stopped) options.time = TrainingTime{.steps = 50, .learning_rate = 1e-3};
      TrainedRiskOptions thrice_options = options;
      thrice_options.ridge *= 3;
      const TrainedRisk one =
          TrainedRiskEngine(inputs, targets, Task::regression, network, options).evaluate(LayerPrior{1.5, 0.1});
      const TrainedRisk three = TrainedRiskEngine(thrice, thrice_targets, Task::regression, network, thrice_options)
                                    .evaluate(LayerPrior{1.5, 0.1});
      ASSERT_TRUE(one.ok()) << one.failure;
      EXPECT_NEAR(three.data_error, one.data_error, 1e-9 * one.data_error) << stopped;
      EXPECT_NEAR(three.initialisation_error, one.initialisation_error, 1e-9 * one.initialisation_error) << stopped;
    }
  }
}

// Labels without any rule: a table that holds every row three times used to predict itself perfectly.
TEST(EqualRows, ARepeatedTableDoesNotPredictItself) {
  const Matrix inputs = repeated(random_matrix(60, 4, 5), three_times(60));
  Matrix targets = Matrix::Constant(180, 3, -1.0 / 3);
  const Matrix labels = random_matrix(60, 1, 6);
  for (Index i = 0; i < 180; ++i)
    targets(i, labels(i % 60, 0) < -0.43 ? 0 : labels(i % 60, 0) < 0.43 ? 1 : 2) = 2.0 / 3;
  TrainedRiskEngine engine(inputs, targets, Task::classification, NetworkSpec::uniform(1, 100));
  const TrainedRisk risk = engine.evaluate(LayerPrior{2.0, 0.0});
  ASSERT_TRUE(risk.ok()) << risk.failure;
  EXPECT_LT(*risk.accuracy, 0.55);
  EXPECT_GT(*risk.accuracy, 0.15);
}

}  // namespace
}  // namespace priorfit
