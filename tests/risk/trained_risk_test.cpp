// What training is predicted to do, against training.
#include "priorfit/trained_risk.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "helpers.hpp"
#include "kernel/tangent.hpp"
#include "priorfit/initialisation.hpp"
#include "priorfit/kernel.hpp"
#include "priorfit/preparation.hpp"
#include "priorfit/training.hpp"
#include "risk/stopped.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::expect_error;
using test::random_matrix;

PreparedData regression(Index samples, Index features, std::uint64_t seed) {
  PreparedData data;
  data.task = Task::regression;
  data.train.inputs = random_matrix(samples, features, seed);
  data.train.targets = random_matrix(samples, 2, seed + 1);
  return data;
}

TrainedRiskEngine engine_of(const PreparedData& data, const NetworkSpec& network,
                            const TrainedRiskOptions& options = {}) {
  return TrainedRiskEngine(data.train.inputs, data.train.targets, data.task, network, options);
}

Matrix with_ridge(Matrix theta, double ridge) {
  theta.diagonal().array() += ridge * theta.diagonal().mean();
  return theta;
}

/// Rows and columns of `matrix` without one.
Matrix without(const Matrix& matrix, Index left_out, bool columns) {
  const Index size = matrix.rows();
  Matrix rows(size - 1, matrix.cols());
  rows << matrix.topRows(left_out), matrix.bottomRows(size - 1 - left_out);
  if (!columns) return rows;
  Matrix both(size - 1, size - 1);
  both << rows.leftCols(left_out), rows.rightCols(size - 1 - left_out);
  return both;
}

TEST(TrainedRisk, IsTheErrorOfTheSampleLeftOut) {
  const PreparedData data = regression(25, 3, 1);
  const NetworkSpec network = NetworkSpec::uniform(2, 60, Activation::parse("gelu"));
  const std::vector<LayerPrior> prior = {{1.5, 0.2}, {1.5, 0.2}, {0.3, 0.0}};
  const double ridge = 1e-2;
  const TrainedRisk risk =
      engine_of(data, network, {.optimizer = Optimizer::gradient_descent, .ridge = ridge}).evaluate(prior);
  const Matrix theta = with_ridge(tangent_kernel(network, prior, data.train.inputs), ridge);
  const Matrix k = covariance(network, prior, data.train.inputs);
  double data_error = 0.0, start_error = 0.0;
  for (Index i = 0; i < 25; ++i) {
    const Eigen::VectorXd cross = without(theta.col(i), i, false).col(0), cross_k = without(k.col(i), i, false).col(0);
    const Eigen::VectorXd weights = without(theta, i, true).llt().solve(cross);
    const Eigen::RowVectorXd error =
        data.train.targets.row(i) - weights.transpose() * without(data.train.targets, i, false);
    data_error += error.squaredNorm() / 2 / 25;
    start_error += (k(i, i) - 2 * weights.dot(cross_k) + weights.dot(without(k, i, true) * weights)) / 25;
  }
  EXPECT_NEAR(risk.data_error, data_error, 1e-9 * data_error);
  EXPECT_NEAR(risk.initialisation_error, start_error, 1e-7 * start_error);
  EXPECT_DOUBLE_EQ(risk.error, risk.data_error + risk.initialisation_error);
  EXPECT_FALSE(risk.accuracy);
  EXPECT_NEAR(risk.ridge, ridge * tangent_kernel(network, prior, data.train.inputs).diagonal().mean(),
              1e-12 * risk.ridge);
}

TEST(TrainedRisk, AgreesWithGradientDescentOfLinearisedNetworks) {
  // Function space: all outputs move by −rate Θ(all, training) residual; the start is a draw of the process.
  const PreparedData data = regression(12, 3, 7);
  const NetworkSpec network = NetworkSpec::uniform(1, 40, Activation::parse("erf"));
  const LayerPrior prior{1.8, 0.3};
  const Matrix theta = tangent_kernel(network, prior, data.train.inputs),
               k = covariance(network, prior, data.train.inputs);
  const TrainedRisk risk =
      engine_of(data, network, {.optimizer = Optimizer::gradient_descent, .ridge = 0.0}).evaluate(prior);
  const Eigen::MatrixXd root = Eigen::LLT<Eigen::MatrixXd>(k + 1e-12 * Matrix::Identity(12, 12)).matrixL();
  const Index draws = 400, size = 12;
  double total = 0.0;
  for (Index left = 0; left < size; ++left) {
    Eigen::MatrixXd mask = Eigen::MatrixXd::Identity(size, size);
    mask(left, left) = 0;
    const Eigen::MatrixXd step = theta * mask / theta.trace();
    // 2^40 steps of descent by squaring (I − step)
    Eigen::MatrixXd power = Eigen::MatrixXd::Identity(size, size) - step;
    for (int i = 0; i < 40; ++i) power = power * power;
    const Eigen::MatrixXd starts = root * random_matrix(size, draws, 100 + std::uint64_t(left));
    for (Index c = 0; c < 2; ++c) {
      const Eigen::MatrixXd residual = power * (starts.colwise() - Eigen::VectorXd(data.train.targets.col(c)));
      total += residual.row(left).squaredNorm() / double(draws) / (2.0 * size);
    }
  }
  EXPECT_NEAR(risk.error, total, 0.05 * total);
}

TEST(TrainedRisk, StoppedTrainingLeavesWhatDescentLeaves) {
  const PreparedData data = regression(10, 3, 3);
  const NetworkSpec network = NetworkSpec::uniform(1, 30);
  const Matrix theta = tangent_kernel(network, LayerPrior{}, data.train.inputs);
  PackedSymmetric packed(10);
  for (Index i = 0; i < 10; ++i) {
    for (Index j = 0; j <= i; ++j) packed(i, j) = theta(i, j);
  }
  const double rate = 0.5 / theta.trace() * 10;
  stop_training(packed, 20, {.steps = 37, .learning_rate = rate});
  Eigen::MatrixXd left = Eigen::MatrixXd::Identity(10, 10);
  const Eigen::MatrixXd step = Eigen::MatrixXd::Identity(10, 10) - 2 * rate / (10 * 2) * theta;
  for (int i = 0; i < 37; ++i) left = step * left;
  const double scale = packed(3, 3) / left(3, 3);
  for (Index i = 0; i < 10; ++i) {
    for (Index j = 0; j <= i; ++j) EXPECT_NEAR(packed(i, j), scale * left(i, j), 1e-10 * std::abs(scale));
  }
}

TEST(TrainedRisk, LongDescentIsTrainingToTheEnd) {
  const PreparedData data = regression(15, 4, 9);
  const NetworkSpec network = NetworkSpec::uniform(1, 50);
  const TrainedRisk end =
      engine_of(data, network, {.optimizer = Optimizer::gradient_descent, .ridge = 0.0}).evaluate(LayerPrior{});
  const Matrix theta = tangent_kernel(network, LayerPrior{}, data.train.inputs);
  const double rate = 15.0 * 2 / theta.trace();
  // Stopped long before the slowest directions move, training has hardly left the start.
  const auto stopped = [&](double steps) {
    return engine_of(data, network, {.optimizer = Optimizer::gradient_descent, .time = TrainingTime{steps, rate}})
        .evaluate(LayerPrior{});
  };
  const double at_start =
      (data.train.targets.squaredNorm() / 2 + covariance(network, LayerPrior{}, data.train.inputs).trace()) / 15;
  EXPECT_NEAR(stopped(1e-6).error, at_start, 1e-3 * at_start);
  EXPECT_LT(std::abs(stopped(1.0).error - at_start), std::abs(stopped(30.0).error - at_start));
  EXPECT_TRUE(end.ok());
}

TEST(TrainedRisk, StoppedErrorsComeCloseToLeavingOut) {
  const PreparedData data = regression(30, 3, 11);
  const NetworkSpec network = NetworkSpec::uniform(1, 100);
  const LayerPrior prior{1.0, 0.1};
  const Matrix theta = tangent_kernel(network, prior, data.train.inputs);
  const double rate = 0.9 * 30 * 2 / theta.trace(), steps = 200;
  const TrainedRisk risk =
      engine_of(data, network, {.optimizer = Optimizer::gradient_descent, .time = TrainingTime{steps, rate}})
          .evaluate(prior);
  double exact = 0.0;
  for (Index left = 0; left < 30; ++left) {
    Eigen::MatrixXd mask = Eigen::MatrixXd::Identity(30, 30);
    mask(left, left) = 0;
    const Eigen::MatrixXd step = Eigen::MatrixXd::Identity(30, 30) - 2 * rate / (30 * 2) * theta * mask;
    Eigen::MatrixXd residual = -data.train.targets;
    for (int i = 0; i < int(steps); ++i) residual = step * residual;
    exact += residual.row(left).squaredNorm() / 60;
  }
  EXPECT_NEAR(risk.data_error, exact, 0.1 * exact);
}

TEST(TrainedRisk, SaysWhyThereAreNoFigures) {
  const PreparedData data = regression(10, 3, 3);
  const NetworkSpec network = NetworkSpec::uniform(1, 30);
  TrainedRiskEngine fast =
      engine_of(data, network, {.optimizer = Optimizer::gradient_descent, .time = TrainingTime{10, 1e6}});
  EXPECT_NE(fast.evaluate(LayerPrior{}).failure.find("diverges with learning rate 1e+06: it must be below"),
            std::string::npos);
  const NetworkSpec deep = NetworkSpec::uniform(90, 10);
  EXPECT_NE(engine_of(data, deep).evaluate(LayerPrior{1e6, 0.0}).failure.find("explodes"), std::string::npos);
  expect_error(
      ErrorKind::usage, [&] { engine_of(data, network, {.ridge = -1}); }, "ridge is -1");
  expect_error(
      ErrorKind::usage,
      [&] {
        engine_of(data, network, {.time = TrainingTime{10, 1}});
      },
      "adam");
}

TEST(TrainedRisk, PredictsTheOrderOfTrainedNetworks) {
  const PreparedData data =
      prepare(load_dataset({.source = "digits"}), {.samples = 300, .seed = 1, .test_fraction = 0.3});
  const NetworkSpec network = NetworkSpec::uniform(1, 256);
  TrainedRiskEngine engine = engine_of(data, network);
  std::vector<double> predicted, trained;
  for (const double weight : {0.3, 3.0, 12.0}) {
    const TrainedRisk risk = engine.evaluate(LayerPrior{weight, 0.0});
    predicted.push_back(risk.error);
    Mlp finite = initialise(network, data.features(), data.outputs(), LayerPrior{weight, 0.0}, 1);
    const TrainingSummary summary =
        train(finite, data, {.epochs = 60, .batch = 32, .loss = Loss::squared, .evaluate_every = 0});
    trained.push_back(summary.test->loss);
    if (weight < 1) {
      EXPECT_NEAR(*risk.accuracy, *summary.test->accuracy, 0.04);
    }
  }
  EXPECT_LT(predicted[0], predicted[1]);
  EXPECT_LT(predicted[1], predicted[2]);
  EXPECT_LT(trained[0], trained[1]);
  EXPECT_LT(trained[1], trained[2]);
}

}  // namespace
}  // namespace priorfit
