// The program and the library give the same numbers, to the last digit.
#include <gtest/gtest.h>

#include "cli/process.hpp"
#include "cli/results.hpp"
#include "priorfit/priorfit.hpp"

namespace priorfit::cli {
namespace {

/// What the program prints with these words.
nlohmann::json printed(std::vector<std::string> words) {
  words.insert(words.end(), {"--format", "json", "--quiet", "--threads", "2"});
  const Outcome outcome = priorfit(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? comparable(outcome.out) : nlohmann::json();
}

const RunContext two_threads{.threads = 2};

PreparedData digits(Index samples, double test_fraction = 0.0) {
  return prepare(load_dataset({.source = "digits"}), {.samples = samples, .seed = 3, .test_fraction = test_fraction});
}

TEST(Agreement, RecommendFindsTheSameMaximum) {
  const Recommendation answer = recommend(digits(450), NetworkSpec::uniform(2), {.criterion = "evidence"}, two_threads);
  EXPECT_EQ(
      printed({"recommend", "digits", "--criterion", "evidence", "--samples", "450", "--seed", "3", "--depth", "2"}),
      comparable(to_json(answer)));
}

TEST(Agreement, RecommendGivesTheSameGrid) {
  const Recommendation answer =
      recommend(digits(450), NetworkSpec::uniform(1), RecommendOptions::paper_grid(), two_threads);
  EXPECT_EQ(printed({"recommend", "digits", "--samples", "450", "--seed", "3", "--grid", "paper"}),
            comparable(to_json(answer)));
}

TEST(Agreement, RecommendFindsTheSameForADeepTabulatedActivation) {
  const Recommendation answer = recommend(digits(90), NetworkSpec::uniform(3, 2000, Activation::parse("tanh")),
                                          {.criterion = "evidence"}, two_threads);
  EXPECT_EQ(printed({"recommend", "digits", "--criterion", "evidence", "--samples", "90", "--seed", "3", "--depth", "3",
                     "--activation", "tanh"}),
            comparable(to_json(answer)));
}

TEST(Agreement, PredictGivesTheSameScores) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PredictionResult result = predict(digits(450, 0.2), network, Initialisation::tied(network, {2.5, 0.1}),
                                          {.noise_variance = 0.01}, two_threads);
  EXPECT_EQ(printed({"predict", "digits", "--samples", "450", "--seed", "3", "--test-fraction", "0.2",
                     "--weight-variance", "2.5", "--bias-variance", "0.1", "--noise", "0.01"}),
            comparable(to_json(result.summary)));
}

TEST(Agreement, TrainEndsWithTheSameWeights) {
  const Scratch scratch;
  const PreparedData data = digits(200, 0.2);
  const NetworkSpec spec = NetworkSpec::uniform(1, 40);
  const LayerPrior prior{1.5, 0.2};
  Mlp network = initialise(spec, data.features(), data.outputs(), prior, 3);
  TrainOptions options;
  options.epochs = 3;
  options.batch = 32;
  options.seed = 3;
  const TrainingSummary summary = train(network, data, options);
  const nlohmann::json json = printed({"train",
                                       "digits",
                                       "--samples",
                                       "200",
                                       "--seed",
                                       "3",
                                       "--test-fraction",
                                       "0.2",
                                       "--width",
                                       "40",
                                       "--weight-variance",
                                       "1.5",
                                       "--bias-variance",
                                       "0.2",
                                       "--epochs",
                                       "3",
                                       "--batch",
                                       "32",
                                       "--out",
                                       scratch.path("t")});
  EXPECT_EQ(json.at("train").at("loss"), summary.train.loss);
  EXPECT_EQ(json.at("test").at("accuracy"), *summary.test->accuracy);
  const Mlp stored = load_weights(scratch.path("t/weights.safetensors")).network;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    EXPECT_EQ(stored.layers[l].weights, network.layers[l].weights);
    EXPECT_EQ(stored.layers[l].bias, network.layers[l].bias);
  }
}

TEST(Agreement, InitDrawsTheSameWeights) {
  const Scratch scratch;
  ASSERT_EQ(priorfit({"init", "--layers", "7,30,4", "--weight-variance", "1.7", "--bias-variance", "0.3", "--seed", "9",
                      "--out", scratch.path("w.safetensors")})
                .code,
            0);
  const Mlp drawn = initialise(NetworkSpec::uniform(1, 30), 7, 4, LayerPrior{1.7, 0.3}, 9);
  const Mlp stored = load_weights(scratch.path("w.safetensors")).network;
  for (std::size_t l = 0; l < drawn.layers.size(); ++l) {
    EXPECT_EQ(stored.layers[l].weights, drawn.layers[l].weights);
    EXPECT_EQ(stored.layers[l].bias, drawn.layers[l].bias);
  }
}

TEST(Agreement, SimulateRecoversTheSame) {
  SimulationOptions options;
  options.seeds = 2;
  EXPECT_EQ(printed({"simulate", "--seeds", "2"}), comparable(to_json(simulate(options, two_threads))));
}

TEST(Agreement, PhaseDrawsTheSameMap) {
  PhaseOptions options;
  options.activation = Activation::parse("leaky_relu:0.2");
  options.depth = 30;
  EXPECT_EQ(printed({"phase", "--activation", "leaky_relu:0.2", "--depth", "30"}),
            comparable(to_json(phase_map(options))));
}

TEST(Agreement, ExperimentStoresTheSame) {
  const Scratch scratch;
  ExperimentSpecification specification;
  specification.data.source = "digits";
  specification.network = NetworkSpec::uniform(2, 12, Activation::parse("gelu"));
  specification.weight_variances = {1.0, 2.0};
  specification.bias_variances = {0.1};
  specification.sizes = {60};
  specification.training.epochs = 3;
  const Experiment result = run_experiment(specification, {.folder = scratch.path("library")}, {.threads = 2});
  EXPECT_EQ(printed({"experiment", "--data", "digits", "--depth", "2", "--width", "12", "--activation", "gelu",
                     "--weight-variances", "1,2", "--bias-variances", "0.1", "--sizes", "60", "--epochs", "3", "--out",
                     scratch.path("program")}),
            comparable(to_json(result)));
  EXPECT_EQ(read_all(scratch.path("program/experiment.json")), read_all(scratch.path("library/experiment.json")));
}

}  // namespace
}  // namespace priorfit::cli
