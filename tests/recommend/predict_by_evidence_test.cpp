// Prediction with what was not given fitted by the evidence.
#include "priorfit/predict_by_evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <nlohmann/json.hpp>

#include "drawn_data.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
namespace {

using testing::HasSubstr;

const NetworkSpec network = NetworkSpec::uniform(2);

/// Of a smooth function and noise of variance 0.04.
PreparedData noisy() {
  const Matrix x = drawn::normal(160, 3, 11), noise = drawn::normal(160, 1, 12);
  Matrix y(160, 1);
  for (Index i = 0; i < 160; ++i) y(i, 0) = std::sin(x(i, 0)) + 0.5 * x(i, 1) + 0.2 * noise(i, 0);
  PreparedData data = drawn::data(x.topRows(120), y.topRows(120));
  data.test = {x.bottomRows(40), y.bottomRows(40), {}};
  data.output_names = {"y"};
  data.target_shift = Vector::Zero(1);
  data.target_scale = Vector::Ones(1);
  return data;
}

/// log p(Y) written out (M3).
double log_evidence(const PreparedData& data, const std::vector<LayerPrior>& layers, double noise) {
  const Index n = data.train.size();
  const Eigen::MatrixXd a = covariance(network, layers, data.train.inputs) + noise * Matrix::Identity(n, n);
  const Eigen::LLT<Eigen::MatrixXd> factor(a);
  const Eigen::MatrixXd y = data.train.targets;
  return -0.5 * (y.transpose() * factor.solve(y)).trace() -
         factor.matrixLLT().diagonal().array().log().sum() * double(y.cols());
}

// The layers of PyTorch's default differ, biases included: what `--from` an answer that says "keep" holds.
TEST(PredictByEvidence, FitsTheNoiseOfAGivenStart) {
  const PreparedData data = noisy();
  const Initialisation start = Initialisation::named(InitialScheme::pytorch, network, 3, 1);
  const PredictionResult result = predict_by_evidence(data, network, {.start = start});
  EXPECT_EQ(result.summary.start, start);
  EXPECT_FALSE(result.summary.start_by_evidence);
  EXPECT_TRUE(result.summary.noise_by_evidence);
  const double noise = result.prediction.noise_variance, best = log_evidence(data, start.layers, noise);
  for (double other = 1e-6; other < 1; other *= 1.3) EXPECT_LE(log_evidence(data, start.layers, other), best + 1e-9);
  for (const double factor : {0.97, 1.03}) EXPECT_LT(log_evidence(data, start.layers, factor * noise), best);
  const PredictionResult same = predict(data, network, start, {.noise_variance = noise});
  EXPECT_EQ(result.prediction.mean, same.prediction.mean);
  EXPECT_THAT(to_table(result.summary), HasSubstr("(the noise by the evidence)"));
  const auto json = nlohmann::json::parse(to_json(result.summary));
  EXPECT_EQ(json.at("noise_chosen_by"), "evidence");
  EXPECT_FALSE(json.contains("chosen_by"));
}

TEST(PredictByEvidence, SearchesForAllThatIsNotGiven) {
  const PreparedData data = noisy();
  const PredictionResult result = predict_by_evidence(data, network);
  const double best = log_evidence(data, result.summary.start.layers, result.prediction.noise_variance);
  for (const double weight : {0.5, 1.0, 2.0, 3.0}) {
    for (const double bias : {0.0, 0.1, 1.0}) {
      for (const double noise : {1e-4, 1e-2, 4e-2, 1e-1}) {
        EXPECT_LE(log_evidence(data, Initialisation::tied(network, {weight, bias}).layers, noise), best + 1e-6);
      }
    }
  }
  EXPECT_NEAR(result.prediction.noise_variance, 0.04, 0.02);
  EXPECT_THAT(to_table(result.summary), HasSubstr("(variances and noise by the evidence)"));

  const PredictionResult fixed = predict_by_evidence(data, network, {.noise_variance = 0.5});
  EXPECT_EQ(fixed.prediction.noise_variance, 0.5);
  EXPECT_TRUE(fixed.summary.start_by_evidence);
  EXPECT_FALSE(fixed.summary.noise_by_evidence);
}

TEST(PredictByEvidence, IsPredictWhereEverythingIsGiven) {
  const PreparedData data = noisy();
  const Initialisation start = Initialisation::tied(network, {2.0, 0.1});
  const PredictionResult result = predict_by_evidence(data, network, {.start = start, .noise_variance = 0.01});
  EXPECT_EQ(result.prediction.mean, predict(data, network, start, {.noise_variance = 0.01}).prediction.mean);
  EXPECT_FALSE(result.summary.start_by_evidence || result.summary.noise_by_evidence);
}

TEST(PredictByEvidence, RefusesBeforeItSearches) {
  PreparedData data = noisy();
  EXPECT_THROW(predict_by_evidence(data, network, {.noise_variance = -1.0}), Error);
  data.test = {};
  EXPECT_THROW(predict_by_evidence(data, network), Error);
}

}  // namespace
}  // namespace priorfit
