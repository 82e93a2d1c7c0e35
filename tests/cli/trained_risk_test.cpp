// recommend --criterion trained-risk, --untie-output, kernel and the schemes, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "arrays/npy.hpp"
#include "cli/process.hpp"
#include "helpers.hpp"
#include "priorfit/kernel.hpp"
#include "priorfit/weights.hpp"
#include "support/free_cores.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

const Words quick = {"recommend", "digits", "--samples", "120", "--width", "60", "--criterion", "trained-risk"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

nlohmann::json json_of(const Words& words) {
  const Outcome outcome = priorfit(with(words, {"--format", "json"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(TrainedRiskCommand, ChoosesNextToHeAmongTheMostAccurate) {
  const auto json = json_of(quick);
  EXPECT_EQ(json.at("criterion"), "trained-risk");
  EXPECT_EQ(json.at("grid").size(), 24u);
  const auto loss = [](const nlohmann::json& cell) { return 1 - cell.at("trained").at("accuracy").get<double>(); };
  const double least = loss(json.at("trained_risk").at("least")), bound = 1.03 * least;
  EXPECT_EQ(json.at("trained_risk").at("tolerance"), 0.03);
  const auto& chosen = json.at("recommended");
  EXPECT_LE(loss(chosen), bound);
  const auto distance = [](const nlohmann::json& cell) {
    return std::hypot(std::log(cell.at("weight_variance").get<double>() / 2),
                      std::log1p(cell.at("bias_variance").get<double>() / 0.01));
  };
  for (const auto& cell : json.at("grid")) {
    EXPECT_LE(least, loss(cell));
    if (loss(cell) <= bound) {
      EXPECT_GE(distance(cell), distance(chosen));
    }
  }
  ASSERT_EQ(json.at("baselines").size(), 4u);
  for (const auto& baseline : json.at("baselines")) {
    const auto& trained = baseline.at("trained");
    EXPECT_NEAR(trained.at("error").get<double>(),
                trained.at("data_error").get<double>() + trained.at("initialisation_error").get<double>(), 1e-12);
    EXPECT_GT(trained.at("accuracy").get<double>(), 0.1);
    EXPECT_GT(trained.at("ridge").get<double>(), 0.0);
  }
  EXPECT_EQ(json.at("baselines")[3].at("name"), "PyTorch");
  EXPECT_FALSE(json.at("baselines")[3].contains("weight_variance"));
  EXPECT_EQ(json.at("baselines")[3].at("layer_weight_variances")[1], 1.0 / 3.0);
  EXPECT_EQ(json.at("baselines")[3].at("layer_bias_variances")[0], 1.0 / (3.0 * 64));
}

TEST(TrainedRiskCommand, TableSaysRuleAndDisagreement) {
  const Outcome outcome = priorfit(quick);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"predicted squared error and accuracy after training", "(recommended)", "PyTorch's default",
        "Rule: Of all starts whose share of wrong classes is within 3 % of the least", "ridge 0.001", "of start"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  const Outcome by_evidence = priorfit({"recommend", "digits", "--criterion", "evidence", "--samples", "300"});
  EXPECT_THAT(by_evidence.out, HasSubstr("The two criteria disagree"));
  EXPECT_THAT(by_evidence.out, HasSubstr("--criterion trained-risk chooses by that."));
}

// Nobody asked for the evidence: it is neither computed nor written as 0.
TEST(TrainedRiskCommand, ComputesNoEvidence) {
  const auto json = json_of(quick);
  for (const char* field : {"log_marginal_likelihood", "noise_variance", "status"}) {
    EXPECT_FALSE(json.at("recommended").contains(field)) << field;
    EXPECT_FALSE(json.at("grid")[0].contains(field)) << field;
    EXPECT_FALSE(json.at("trained_risk").at("least").contains(field)) << field;
  }
  EXPECT_EQ(json.at("search").at("factorizations"), 0);
}

TEST(TrainedRiskCommand, TheEvidencesChoiceIsPredictedToo) {
  const auto json = json_of({"recommend", "digits", "--criterion", "evidence", "--samples", "120"});
  EXPECT_EQ(json.at("criterion"), "evidence");
  EXPECT_TRUE(json.at("recommended").at("trained").contains("error"));
  EXPECT_FALSE(json_of({"recommend", "digits", "--criterion", "evidence", "--samples", "120", "--risk-samples", "0"})
                   .contains("trained_risk"));
}

TEST(TrainedRiskCommand, TrainingMayBeStopped) {
  const Words stopped =
      with(quick, {"--weight-variances", "0.01,2", "--bias-variances", "0", "--risk-learning-rate", "0.01"});
  const auto early = json_of(with(stopped, {"--risk-steps", "20"}));
  EXPECT_EQ(early.at("trained_risk").at("steps"), 20.0);
  EXPECT_EQ(early.at("trained_risk").at("optimizer"), "gradient-descent");
  // From a small variance training is slow, and stopped early it is seen to be.
  const auto& grid = early.at("grid");
  EXPECT_GT(grid[0].at("trained").at("data_error").get<double>(), grid[1].at("trained").at("data_error").get<double>());
  EXPECT_EQ(priorfit(stopped).code, 2);
  EXPECT_THAT(priorfit(stopped).err, HasSubstr("--risk-steps and --risk-learning-rate go together"));
}

TEST(TrainedRiskCommand, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(priorfit({"recommend", "digits", "--criterion", "trained-risc"}).err,
              HasSubstr("did you mean 'trained-risk'?"));
  EXPECT_THAT(priorfit({"recommend", "digits", "--risk-optimizer", "adams"}).err, HasSubstr("did you mean 'adam'?"));
  EXPECT_EQ(priorfit({"recommend", "digits", "--ridge", "-1"}).code, 2);
}

TEST(UntieOutput, GoesFromTheRecommendationToTheWeights) {
  const Scratch scratch;
  const Outcome outcome = priorfit(with(quick, {"--untie-output", "--output-variances", "0.01,1", "--weight-variances",
                                                "1,2", "--bias-variances", "0", "--out", scratch.path("r")}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("output layer: σ_w² = "));
  EXPECT_THAT(outcome.out, HasSubstr(")] + [("));  // in the lines to paste: the hidden layer, and the output
  const auto json = nlohmann::json::parse(test::read_all(scratch.path("r/recommendation.json")));
  EXPECT_EQ(json.at("grid").size(), 4u);
  const double variance = json.at("recommended").at("output_weight_variance").get<double>();
  ASSERT_EQ(priorfit({"init", "--from", scratch.path("r/recommendation.json"), "--width", "3000", "--out",
                      scratch.path("w.safetensors")})
                .code,
            0);
  const LoadedWeights weights = load_weights(scratch.path("w.safetensors"));
  const DenseLayer& output = weights.network.layers.back();
  const double measured = output.weights.cast<double>().squaredNorm() / double(output.weights.size()) * 3000;
  EXPECT_NEAR(measured, variance, 0.03 * variance);  // 30,000 draws
  EXPECT_EQ(output.bias.squaredNorm(), 0.0F);
}

TEST(UntieOutput, DrawsRowsOfALargeTableHoweverItIsAskedFor) {
  const Scratch scratch;
  std::string rows = "x,y\n";
  for (int i = 0; i < 2100; ++i) rows += std::to_string(i % 97) + "," + std::to_string(i % 31 + 0.5) + "\n";
  const std::string table = scratch.file("t.csv", rows);
  for (const Words& how : {Words{"--untie-output"}, Words{"--output-variances", "0.1"}}) {
    const auto json =
        json_of(with({"recommend", table, "--samples", "auto", "--noise", "0.1", "--risk-samples", "40"}, how));
    EXPECT_EQ(json.at("data").at("samples"), 40) << how[0];
    EXPECT_TRUE(json.at("recommended").contains("output_weight_variance"));
  }
}

TEST(Schemes, PytorchIsUniformWithinItsBound) {
  const Scratch scratch;
  ASSERT_EQ(priorfit({"init", "--layers", "50,200,3", "--scheme", "pytorch", "--out", scratch.path("w.npz")}).code, 0);
  const LoadedWeights weights = load_weights(scratch.path("w.npz"));
  for (const DenseLayer& layer : weights.network.layers) {
    const double bound = 1 / std::sqrt(double(layer.inputs()));
    EXPECT_LE(layer.weights.cwiseAbs().maxCoeff(), bound);
    EXPECT_GT(layer.weights.cwiseAbs().maxCoeff(), 0.98 * bound);
    EXPECT_LE(layer.bias.cwiseAbs().maxCoeff(), bound);
    EXPECT_GT(layer.bias.cwiseAbs().maxCoeff(), 0.0);
  }
  const Eigen::ArrayXXd first = weights.network.layers[0].weights.cast<double>() * std::sqrt(50.0);
  EXPECT_NEAR(first.square().mean(), 1.0 / 3.0, 0.02);
  EXPECT_NEAR(first.square().square().mean(), 1.0 / 5.0, 0.02);  // of a uniform, not of a normal distribution
}

TEST(KernelCommand, SaysHowManyThreadsItChose) {
  if (!choose_threads().by_load) GTEST_SKIP() << "one core";
  const Scratch scratch;
  const std::string table = scratch.file("t.csv", "a,b,y\n1,2,3\n2,1,5\n4,4,1\n0,1,2\n");
  const Outcome outcome =
      run_program({"env", "-u", "OMP_NUM_THREADS", PRIORFIT_BINARY, "kernel", table, "--out", scratch.path("k.npy")});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, testing::ContainsRegex("threads: [0-9]"));
}

TEST(KernelCommand, WritesWhatTheLibraryComputes) {
  const Scratch scratch;
  const std::string table = scratch.file("t.csv", "a,b,y\n1,2,3\n2,1,5\n4,4,1\n0,1,2\n");
  const Words words = {"kernel",          table, "--preprocess",      "none", "--depth",           "2",
                       "--width",         "30",  "--activation",      "erf",  "--weight-variance", "1.5",
                       "--bias-variance", "0.2", "--output-variance", "0.3"};
  const NetworkSpec network = NetworkSpec::uniform(2, 30, Activation::parse("erf"));
  const Matrix inputs{{1, 2}, {2, 1}, {4, 4}, {0, 1}};
  const std::vector<LayerPrior> prior = {{1.5, 0.2}, {1.5, 0.2}, {0.3, 0.0}};
  ASSERT_EQ(priorfit(with(words, {"--out", scratch.path("k.npy")})).code, 0);
  EXPECT_EQ(test::read_all(scratch.path("k.npy")), npy_bytes(covariance(network, prior, inputs), {4, 4}));
  ASSERT_EQ(priorfit(with(words, {"--tangent", "--out", scratch.path("t.npy")})).code, 0);
  EXPECT_EQ(test::read_all(scratch.path("t.npy")), npy_bytes(tangent_kernel(network, prior, inputs), {4, 4}));
  const Outcome refused = priorfit(with(words, {"--out", scratch.path("k.txt")}));
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr(".npy"));
}

TEST(ExperimentCommand, MeasuresSchemesAndThePrediction) {
  const Scratch scratch;
  const Words words = {"experiment",
                       "--data",
                       "digits",
                       "--sizes",
                       "80",
                       "--width",
                       "32",
                       "--epochs",
                       "40",
                       "--batch",
                       "16",
                       "--test-every",
                       "0",
                       "--noise",
                       "fit",
                       "--schemes",
                       "pytorch,keras",
                       "--weight-variances",
                       "0.5,2",
                       "--bias-variances",
                       "0",
                       "--out",
                       scratch.path("e")};
  const auto before = json_of(words);
  EXPECT_EQ(before.at("sizes")[0].at("other_cells").size(), 2u);
  EXPECT_FALSE(before.at("sizes")[0].contains("risk_rank_correlation"));
  const auto after = json_of(with(words, {"--trained-risk"}));  // of results that are there
  EXPECT_TRUE(after.at("sizes")[0].contains("risk_rank_correlation"));
  std::vector<std::string> rules;
  for (const auto& row : after.at("rows")) rules.push_back(row.at("rule").get<std::string>());
  EXPECT_THAT(rules, testing::ElementsAre("best", "worst", "He", "recommended", "trained-risk", "pytorch", "keras"));
}

}  // namespace
}  // namespace priorfit::cli
