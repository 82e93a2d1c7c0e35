// priorfit recommend as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> quick = {"recommend", "digits", "--samples", "120"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

nlohmann::json quick_json(const std::vector<std::string>& more = {}) {
  const Outcome outcome = priorfit(with(with(quick, {"--format", "json"}), more));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(Recommend, TableMarksBestAndHeAndGivesLinesToPaste) {
  const Outcome outcome = priorfit(quick);
  EXPECT_EQ(outcome.code, 0);
  for (const char* part : {"(best)", "(He)", "LeCun (1, 0)", "Recommended: σ_w² = ", "nats", "noise variance 1e-06",
                           "preprocess unit", "120 of 1797 rows (seed 1)", "torch.nn.init.normal_",
                           "keras.initializers.VarianceScaling", "nn.initializers.variance_scaling"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  EXPECT_THAT(outcome.err, HasSubstr("read digits: 1797 rows × 64 features"));
}

TEST(Recommend, LecunIsMarkedWhereItIsOnTheGrid) {
  const Outcome outcome = priorfit(with(quick, {"--weight-variances", "1,2", "--bias-variances", "0,1"}));
  EXPECT_THAT(outcome.out, HasSubstr("LeCun)"));
}

TEST(Recommend, JsonKeepsItsContract) {
  const auto json = quick_json();
  EXPECT_EQ(json.at("schema"), "priorfit.recommendation/1");
  for (const char* key : {"name", "rows", "features", "outputs", "task", "preprocess", "samples", "seed"}) {
    EXPECT_TRUE(json.at("data").contains(key)) << key;
  }
  EXPECT_EQ(json.at("data").at("samples"), 120);
  EXPECT_EQ(json.at("network").at("depth"), 1);
  EXPECT_EQ(json.at("network").at("activation"), "relu");
  for (const char* key : {"weight_variance", "bias_variance", "noise_variance", "log_marginal_likelihood", "per_value",
                          "at_bound"}) {
    EXPECT_TRUE(json.at("recommended").contains(key)) << key;
  }
  ASSERT_EQ(json.at("grid").size(), 15u);
  double best = -1e300;
  for (const auto& cell : json.at("grid")) {
    for (const char* key : {"weight_variance", "bias_variance", "noise_variance", "log_marginal_likelihood", "jitter",
                            "status"}) {
      EXPECT_TRUE(cell.contains(key)) << key;
    }
    best = std::max(best, cell.at("log_marginal_likelihood").get<double>());
  }
  EXPECT_EQ(json.at("recommended").at("log_marginal_likelihood"), best);
  ASSERT_EQ(json.at("baselines").size(), 2u);
  EXPECT_EQ(json.at("baselines")[0].at("name"), "He");
  EXPECT_GT(json.at("timing").at("seconds").get<double>(), 0.0);
  EXPECT_GT(json.at("memory").at("peak_bytes").get<double>(), 1e6);
}

TEST(Recommend, SameSeedSameFiguresOtherSeedOtherRows) {
  const auto figure = [](const nlohmann::json& json) { return json.at("recommended").at("log_marginal_likelihood"); };
  const auto first = quick_json();
  EXPECT_EQ(figure(first), figure(quick_json()));
  EXPECT_NE(figure(first), figure(quick_json({"--seed", "2"})));
}

TEST(Recommend, CsvAndMarkdownHoldTheGrid) {
  const Outcome csv = priorfit(with(quick, {"--format", "csv"}));
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 16);
  EXPECT_THAT(csv.out, testing::StartsWith("weight_variance,bias_variance,noise_variance,log_marginal_likelihood,"));
  EXPECT_THAT(priorfit(with(quick, {"--format", "markdown"})).out, HasSubstr("| σ_w² \\ σ_b² | 0 | 1 | 2 |"));
}

TEST(Recommend, OutHoldsWhatJsonPrints) {
  const Scratch scratch;
  const Outcome outcome = priorfit(with(quick, {"--out", scratch.path("deep/er"), "--format", "json"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(slurp(scratch.path("deep/er/recommendation.json")), outcome.out);
  EXPECT_THAT(slurp(scratch.path("deep/er/grid.csv")), HasSubstr("weight_variance,"));
}

TEST(Recommend, QuietSaysNothingOnStderr) { EXPECT_EQ(priorfit(with(quick, {"--quiet"})).err, ""); }

TEST(Recommend, EdgeOfTheGridIsSaidPlainly) {
  const Outcome upper = priorfit(with(quick, {"--weight-variances", "0.1,0.2", "--bias-variances", "0"}));
  EXPECT_THAT(upper.out, HasSubstr("edge of the grid: a larger σ_w² may be better"));
  const Outcome lower = priorfit(with(quick, {"--weight-variances", "20,40", "--bias-variances", "0"}));
  EXPECT_THAT(lower.out, HasSubstr("edge of the grid: a smaller σ_w² may be better"));
  const auto json = quick_json({"--weight-variances", "0.1,0.2", "--bias-variances", "0"});
  EXPECT_EQ(json.at("recommended").at("at_bound"), nlohmann::json({"weight_variance:upper"}));
}

TEST(Recommend, InteriorOptimumIsNoEdge) {
  const auto json = quick_json({"--weight-variances", "0.1,4,400", "--bias-variances", "0.5"});
  EXPECT_EQ(json.at("recommended").at("weight_variance"), 4.0);
  EXPECT_TRUE(json.at("recommended").at("at_bound").empty());
}

TEST(Recommend, DepthChangesTheAnswer) {
  EXPECT_NE(quick_json().at("recommended").at("log_marginal_likelihood"),
            quick_json({"--depth", "3"}).at("recommended").at("log_marginal_likelihood"));
}

TEST(Recommend, JitterAndPivotAreInTheOutput) {
  const Scratch scratch;
  std::string table = "a,b,y\n";
  for (int i = 0; i < 6; ++i) table += "1,2,0.5\n3,1,0.7\n2,2,0.1\n";  // each row six times
  const std::string file = scratch.file("twice.csv", table);
  const Outcome outcome = priorfit({"recommend", file, "--noise", "0", "--task", "regression", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("recommended").at("status"), "jittered");
  EXPECT_GT(json.at("recommended").at("jitter").get<double>(), 0.0);
  EXPECT_GT(json.at("recommended").at("failed_pivot").get<int>(), 0);
  const Outcome text = priorfit({"recommend", file, "--noise", "0", "--task", "regression"});
  EXPECT_THAT(text.out, HasSubstr("not positive definite at pivot"));
}

TEST(Recommend, PyTorchLinesRunAsPrinted) {
  if (run_program({"/usr/bin/python3", "-c", "import torch"}).code != 0) GTEST_SKIP() << "python3-torch is not here";
  const std::string lines = quick_json({"--bias-variances", "0.25"}).at("paste").at("pytorch");
  const std::string program = "import torch\nmodel = torch.nn.Sequential(torch.nn.Linear(400, 2000), torch.nn.ReLU())\n" +
                              lines + "print(model[0].weight.var().item() * 400, model[0].bias.var().item())\n";
  const Outcome outcome = run_program({"/usr/bin/python3", "-c", program});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream numbers(outcome.out);
  double weight = 0, bias = 0;
  numbers >> weight >> bias;
  EXPECT_NEAR(weight, quick_json({"--bias-variances", "0.25"}).at("recommended").at("weight_variance"), 0.05);
  EXPECT_NEAR(bias, 0.25, 0.03);
}

}  // namespace
}  // namespace priorfit::cli
