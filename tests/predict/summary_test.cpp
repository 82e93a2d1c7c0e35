#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "arrays/npy.hpp"
#include "priorfit/error.hpp"
#include "priorfit/kernel.hpp"
#include "priorfit/predict.hpp"

namespace priorfit {
using namespace internal;
namespace {

using ::testing::HasSubstr;

PreparedData digits(Index samples) {
  return prepare(load_dataset({.source = "digits"}),
                 {.samples = samples, .seed = 1, .preprocess = {}, .test_fraction = 0.2});
}

/// Three rows of one target in units of ten, shifted by 100.
PreparedData small_regression() {
  PreparedData data;
  data.name = "small";
  data.output_names = {"price, in \"euros\""};
  data.train = {Matrix(3, 1), Matrix(3, 1), {}};
  data.train.inputs << 0, 1, 2;
  data.train.targets << -1, 0, 1;
  data.test = data.train;
  data.target_shift = Vector::Constant(1, 100.0);
  data.target_scale = Vector::Constant(1, 10.0);
  return data;
}

const NetworkSpec one_layer = NetworkSpec::uniform(1);
const Initialisation he = Initialisation::tied(one_layer, {2.0, 0.0});

TEST(Predict, EqualsThePosteriorAndItsScore) {
  const PreparedData data = digits(150);
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PredictionResult result =
      predict(data, network, Initialisation::tied(network, {2.8, 0.1}), {.noise_variance = 1e-4});
  const Posterior posterior(data.train.inputs, data.train.targets, network, {2.8, 0.1}, 1e-4);
  const Prediction direct = posterior.predict(data.test.inputs);
  EXPECT_LT((result.prediction.mean - direct.mean).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((result.prediction.variance - direct.variance).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(result.prediction.noise_variance, 1e-4);
  const PredictionScore score = score_prediction(direct, data.test, data.task, data.target_scale);
  EXPECT_EQ(*result.summary.score.accuracy, *score.accuracy);
  EXPECT_GT(*result.summary.score.accuracy, 0.8);
  EXPECT_EQ(result.summary.test_rows, data.test.size());
}

// Layers that differ predict as the covariance of the very same layers does.
TEST(Predict, TakesAPairPerLayer) {
  const PreparedData data = digits(60);
  const Initialisation start{.layers = {{2.8, 0.1}, {0.4, 0.0}}};
  const PredictionResult result = predict(data, one_layer, start, {.noise_variance = 1e-3});
  Eigen::MatrixXd k = covariance(one_layer, start.layers, data.train.inputs);
  k.diagonal().array() += 1e-3;
  Matrix all(data.train.size() + 1, data.features());
  all << data.train.inputs, data.test.inputs.topRows(1);
  const Matrix joint = covariance(one_layer, start.layers, all);
  const Eigen::RowVectorXd cross = joint.bottomRows(1).leftCols(data.train.size());
  const Eigen::RowVectorXd mean = cross * k.llt().solve(Eigen::MatrixXd(data.train.targets));
  EXPECT_LT((result.prediction.mean.row(0) - mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(result.summary.start, start);
}

TEST(Predict, NeedsTestRows) {
  PreparedData data = small_regression();
  data.test = {};
  EXPECT_THROW(predict(data, one_layer, he, {}), Error);
}

TEST(Predict, StopsWhenTold) {
  try {
    predict(digits(50), one_layer, he, {}, {.progress = [](const Progress&) { return false; }});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::interrupted);
  }
}

TEST(Calibration, CountsTargetsInsideEachInterval) {
  Prediction prediction{Matrix::Zero(4, 1), Vector::Constant(4, 0.75), 0.25};  // observations are standard normal
  Samples truth{Matrix(4, 1), Matrix(4, 1), {}};
  truth.targets << 0.0, 0.6, -1.5, 3.0;  // central probabilities 0, 0.4515, 0.8664, 0.9973
  for (const CalibrationPoint& point : calibration(prediction, truth)) {
    const double expected = point.nominal < 0.4515 ? 0.25 : point.nominal < 0.8664 ? 0.5 : 0.75;
    EXPECT_EQ(point.observed, expected) << point.nominal;
  }
  EXPECT_EQ(calibration(prediction, truth).size(), 20u);
}

TEST(Calibration, AgreesWithTheCoverageOfTheScore) {
  const PredictionResult result = predict(digits(150), one_layer, he, {});
  EXPECT_EQ(result.summary.calibration[18].nominal, 0.95);
  EXPECT_EQ(result.summary.calibration[18].observed, result.summary.score.coverage95);
}

TEST(PredictionsCsv, GivesRegressionInOriginalUnits) {
  const PreparedData data = small_regression();
  const Prediction prediction{data.test.targets, Vector::Constant(3, 0.75), 0.25};
  EXPECT_EQ(
      predictions_csv(prediction, data),
      "row,\"true_price, in \"\"euros\"\"\",\"mean_price, in \"\"euros\"\"\",\"deviation_price, in \"\"euros\"\"\"\n"
      "0,90,90,10\n1,100,100,10\n2,110,110,10\n");
}

TEST(PredictionsCsv, NamesClasses) {
  PreparedData data;
  data.task = Task::classification;
  data.output_names = {"cat", "dog"};
  data.train = {Matrix(1, 1), Matrix(1, 2), {0}};
  data.test = {Matrix(1, 1), Matrix(1, 2), {0}};
  data.target_shift = Vector::Zero(2);
  data.target_scale = Vector::Ones(2);
  Prediction prediction{Matrix(1, 2), Vector::Constant(1, 4.0), 0.0};
  prediction.mean << -0.25, 0.25;
  EXPECT_EQ(predictions_csv(prediction, data),
            "row,true,predicted,mean_cat,deviation_cat,mean_dog,deviation_dog\n0,cat,dog,-0.25,2,0.25,2\n");
}

TEST(PredictionsNpy, HoldsMeansThenDeviations) {
  const PreparedData data = small_regression();
  const Prediction prediction{data.test.targets, Vector::Constant(3, 0.75), 0.25};
  const std::string bytes = predictions_npy(prediction, data);
  MemorySource source(bytes, "predictions.npy");
  const NpyArray array = read_npy(source);
  EXPECT_EQ(array.header.shape, (std::vector<Index>{2, 3, 1}));
  EXPECT_EQ(array.values(0, 2), 110.0);
  EXPECT_EQ(array.values(1, 0), 10.0);
}

TEST(PredictionSummary, SaysTheSameInEveryFormat) {
  const NetworkSpec two = NetworkSpec::uniform(2);
  const PredictionSummary summary = predict(digits(100), two, Initialisation::tied(two, {2.0, 0.5}), {}).summary;
  const auto json = nlohmann::json::parse(to_json(summary));
  EXPECT_EQ(json.at("schema"), "priorfit.prediction/1");
  EXPECT_EQ(json.at("network").at("depth"), 2);
  EXPECT_EQ(json.at("prior").at("bias_variance"), 0.5);
  EXPECT_EQ(json.at("accuracy").get<double>(), *summary.score.accuracy);
  EXPECT_EQ(json.at("coverage95").get<double>(), summary.score.coverage95);
  EXPECT_EQ(json.at("calibration").size(), 20u);
  EXPECT_EQ(json.at("rows"), summary.test_rows);
  EXPECT_THAT(to_table(summary), HasSubstr("noise variance 1e-06"));
  EXPECT_THAT(to_markdown(summary), HasSubstr("| accuracy |"));
  EXPECT_THAT(to_csv(summary), HasSubstr("\ncoverage95,"));
}

}  // namespace
}  // namespace priorfit
