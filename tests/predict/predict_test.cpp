#include "priorfit/predict.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "helpers.hpp"
#include "oracle/oracle.hpp"
#include "priorfit/error.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit {
namespace {

using test::random_matrix;

TEST(Posterior, MatchesTheOracle) {
  int checked = 0;
  for (const auto& problem : oracle::values().at("problems")) {
    if (problem.at("activation") != "relu") continue;
    const Matrix x = oracle::matrix(problem.at("X")), y = oracle::matrix(problem.at("Y"));
    const Matrix test = oracle::matrix(problem.at("X_test"));
    const LayerPrior prior{oracle::number(problem.at("weight_variance")), oracle::number(problem.at("bias_variance"))};
    const Posterior posterior(x, y, NetworkSpec::uniform(problem.at("depth").get<Index>()), prior,
                              oracle::number(problem.at("noise_variance")));
    const Prediction prediction = posterior.predict(test);
    const Matrix joint = posterior.covariance(test);
    const Matrix mean = oracle::matrix(problem.at("mean")), covariance = oracle::matrix(problem.at("covariance"));
    for (Index i = 0; i < mean.rows(); ++i) {
      for (Index c = 0; c < mean.cols(); ++c) {
        EXPECT_TRUE(oracle::close(prediction.mean(i, c), mean(i, c), 1e-11, 1e-13));
      }
      EXPECT_TRUE(oracle::close(prediction.variance[i], covariance(i, i), 1e-10));
      for (Index j = 0; j < covariance.cols(); ++j) {
        EXPECT_TRUE(oracle::close(joint(i, j), covariance(i, j), 1e-10, 1e-13));
      }
    }
    ++checked;
  }
  EXPECT_EQ(checked, 3);
}

TEST(Posterior, EqualsTheDenseComputationAcrossBlocks) {
  // 2048 rows make a block at this size, so the test rows need two.
  const Matrix x = random_matrix(50, 4, 1), y = random_matrix(50, 3, 2), test = random_matrix(2500, 4, 3);
  const NetworkSpec network = NetworkSpec::uniform(2);
  const LayerPrior prior{1.5, 0.2};
  const Prediction prediction = Posterior(x, y, network, prior, 0.01).predict(test);
  const Matrix a = covariance(network, prior, x) + 0.01 * Matrix::Identity(50, 50);
  const Matrix cross = cross_covariance(network, prior, test, x);
  const Matrix inverse = a.inverse();
  const Matrix mean = cross * inverse * y;
  const Vector spread = variance(network, prior, test) - (cross * inverse).cwiseProduct(cross).rowwise().sum();
  EXPECT_LT((prediction.mean - mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((prediction.variance - spread).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Posterior, InterpolatesWithoutNoise) {
  const Matrix x = random_matrix(30, 5, 1), y = random_matrix(30, 2, 2);
  const Prediction prediction = Posterior(x, y, NetworkSpec::uniform(1), {2.0, 0.1}, 1e-10).predict(x);
  EXPECT_LT((prediction.mean - y).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT(prediction.variance.maxCoeff(), 1e-8);
}

TEST(Posterior, RefusesOtherFeatures) {
  const Matrix x = random_matrix(5, 3, 1), y = random_matrix(5, 1, 2), test = random_matrix(2, 4, 3);
  EXPECT_THROW(Posterior(x, y, NetworkSpec::uniform(1), {2.0, 0.1}, 0.1).predict(test), Error);
}

TEST(Posterior, AdvisesNoiseOnlyWhereItHelps) {
  Matrix x = random_matrix(5, 3, 1);
  const Matrix y = random_matrix(5, 1, 2);
  const auto message = [&](const LayerPrior& prior) -> std::string {
    try {
      Posterior(x, y, NetworkSpec::uniform(1), prior, 0.0);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message({1e300, 0.0}).find("for double precision"), std::string::npos) << message({1e300, 0.0});
  EXPECT_EQ(message({1e300, 0.0}).find("noise"), std::string::npos) << message({1e300, 0.0});
}

TEST(PredictionScore, IsWhatTheWordsSay) {
  Prediction prediction{Matrix(2, 2), Vector(2), 0.25};
  prediction.mean << 1.0, 0.0, 0.0, 1.0;
  prediction.variance << 0.75, 0.75;  // observations have variance 1
  Samples truth{Matrix(2, 1), Matrix(2, 2), {0, 0}};
  truth.targets << 1.0, 0.0, 3.0, 1.0;  // one of four values is 3 deviations off
  const PredictionScore score = score_prediction(prediction, truth, Task::classification, Vector::Ones(2));
  EXPECT_DOUBLE_EQ(*score.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(score.rmse, 1.5);
  EXPECT_DOUBLE_EQ(score.coverage95, 0.75);
  EXPECT_DOUBLE_EQ(score.negative_log_predictive_density, 0.5 * (9.0 / 4 + std::log(2 * M_PI)));
  const PredictionScore scaled = score_prediction(prediction, truth, Task::regression, Vector::Constant(2, 10.0));
  EXPECT_DOUBLE_EQ(scaled.rmse, 15.0);
  EXPECT_DOUBLE_EQ(scaled.coverage95, 0.75);
  EXPECT_NEAR(scaled.negative_log_predictive_density, score.negative_log_predictive_density + std::log(10.0), 1e-12);
}

// Scales whose squares leave double precision give figures all the same; what has none is an error, not "inf".
TEST(PredictionScore, HoldsForAnyScale) {
  Prediction prediction{Matrix::Zero(2, 1), Vector::Constant(2, 0.75), 0.25};
  Samples truth{Matrix(2, 1), Matrix::Constant(2, 1, 2.0), {}};
  for (const double scale : {1e160, 1e-160, 1e300}) {
    const PredictionScore score = score_prediction(prediction, truth, Task::regression, Vector::Constant(1, scale));
    EXPECT_DOUBLE_EQ(score.rmse, 2.0 * scale);
    EXPECT_NEAR(score.negative_log_predictive_density, 0.5 * (4.0 + std::log(2 * M_PI)) + std::log(scale), 1e-9);
  }
  truth.targets.setConstant(1e200);
  test::expect_error(
      ErrorKind::numerical, [&] { score_prediction(prediction, truth, Task::regression, Vector::Ones(1)); }, "1e+200");
}

// Targets drawn from the prior itself: the 95 % interval must cover 95 % of them.
TEST(Posterior, IntervalsAreCalibratedUnderThePrior) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const LayerPrior prior{2.0, 0.3};
  const Matrix inputs = random_matrix(200, 3, 1);
  const double noise = 0.01;
  const Eigen::MatrixXd a = covariance(network, prior, inputs) + noise * Matrix::Identity(200, 200);
  const Matrix targets = Eigen::MatrixXd(a.llt().matrixL()) * random_matrix(200, 40, 2);
  Samples test{inputs.bottomRows(100), targets.bottomRows(100), {}};
  const Matrix train_x = inputs.topRows(100), train_y = targets.topRows(100);
  const Prediction prediction = Posterior(train_x, train_y, network, prior, noise).predict(test.inputs);
  const PredictionScore score = score_prediction(prediction, test, Task::regression, Vector::Ones(40));
  EXPECT_NEAR(score.coverage95, 0.95, 0.02);
}

}  // namespace
}  // namespace priorfit
