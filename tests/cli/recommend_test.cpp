// priorfit recommend as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "priorfit/signal.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> quick = {"recommend", "digits", "--samples", "120", "--grid", "paper"};
const std::vector<std::string> continuous = {"recommend", "digits", "--criterion", "evidence", "--samples", "120"};

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
  for (const char* key :
       {"weight_variance", "bias_variance", "noise_variance", "log_marginal_likelihood", "per_value", "at_bound"}) {
    EXPECT_TRUE(json.at("recommended").contains(key)) << key;
  }
  ASSERT_EQ(json.at("grid").size(), 15u);
  double best = -1e300;
  for (const auto& cell : json.at("grid")) {
    for (const char* key :
         {"weight_variance", "bias_variance", "noise_variance", "log_marginal_likelihood", "jitter", "status"}) {
      EXPECT_TRUE(cell.contains(key)) << key;
    }
    best = std::max(best, cell.at("log_marginal_likelihood").get<double>());
  }
  EXPECT_EQ(json.at("recommended").at("log_marginal_likelihood"), best);
  ASSERT_EQ(json.at("baselines").size(), 4u);
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
  EXPECT_EQ(read_all(scratch.path("deep/er/recommendation.json")), outcome.out);
  EXPECT_THAT(read_all(scratch.path("deep/er/grid.csv")), HasSubstr("weight_variance,"));
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
  const Outcome outcome =
      priorfit({"recommend", file, "--grid", "paper", "--noise", "0", "--task", "regression", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("recommended").at("status"), "jittered");
  EXPECT_GT(json.at("recommended").at("jitter").get<double>(), 0.0);
  EXPECT_GT(json.at("recommended").at("failed_pivot").get<int>(), 0);
  const Outcome text = priorfit({"recommend", file, "--grid", "paper", "--noise", "0", "--task", "regression"});
  EXPECT_THAT(text.out, HasSubstr("not positive definite at pivot"));
}

TEST(Recommend, PyTorchLinesRunAsPrinted) {
  if (run_program({"/usr/bin/python3", "-c", "import torch"}).code != 0) GTEST_SKIP() << "python3-torch is not here";
  const std::string lines = quick_json({"--bias-variances", "0.25"}).at("paste").at("pytorch");
  const std::string program =
      "import torch\ntorch.manual_seed(1)\n"
      "class Net(torch.nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.last = torch.nn.Linear(2000, 10, bias=False)  # declared first, run last\n"
      "        self.norm = torch.nn.LayerNorm(2000)\n"
      "        self.first = torch.nn.LazyLinear(2000)\n"
      "    def forward(self, x): return self.last(torch.relu(self.norm(self.first(x))))\n"
      "model, inputs = Net(), torch.zeros(4, 400)\n" +
      lines +
      "print(model.first.weight.var().item() * 400, model.first.bias.var().item())\n"
      "assert layers == [model.first, model.last] and bool((model.norm.weight == 1).all())\n";
  const Outcome outcome = run_program({"/usr/bin/python3", "-c", program});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream numbers(outcome.out);
  double weight = 0, bias = 0;
  numbers >> weight >> bias;
  EXPECT_NEAR(weight, quick_json({"--bias-variances", "0.25"}).at("recommended").at("weight_variance"), 0.05);
  EXPECT_NEAR(bias, 0.25, 0.03);
}

TEST(Recommend, DefaultIsTheMaximumItself) {
  const Outcome outcome = priorfit(with(continuous, {"--format", "json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  const auto& best = json.at("recommended");
  EXPECT_EQ(json.at("search").at("method"), "continuous");
  EXPECT_EQ(json.at("search").at("noise"), "fitted");
  EXPECT_GT(json.at("search").at("factorizations").get<int>(), 10);
  EXPECT_GT(json.at("search").at("equivalent_factorizations").get<double>(), 1.0);
  EXPECT_TRUE(json.at("grid").empty());
  EXPECT_TRUE(best.at("leave_one_out").is_number());
  for (const char* key : {"weight_variance", "bias_variance", "noise_variance"}) {
    EXPECT_TRUE(best.at("gradient").at(key).is_number()) << key;
    EXPECT_TRUE(best.at("intervals").contains(key)) << key;
  }
  // No cell of the paper's grid, at any noise, is better.
  const auto cells = quick_json({"--noise", "fit"});
  EXPECT_GE(best.at("log_marginal_likelihood").get<double>(),
            cells.at("recommended").at("log_marginal_likelihood").get<double>());
  for (const auto& baseline : json.at("baselines")) EXPECT_GE(baseline.at("gain").get<double>(), 0.0);
  EXPECT_EQ(json.at("baselines").size(), 4u);
  EXPECT_FALSE(json.contains("surface"));
}

TEST(Recommend, TableOfTheMaximumSaysHowSure) {
  const Outcome outcome = priorfit(continuous);
  for (const char* part : {"noise variance fitted", "95 %", "leave-one-out", "usual starts          noise", "Glorot (",
                           "Search:", "factorisations of 120 samples", "torch.nn.init.normal_"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

TEST(Recommend, NoiseMayBeFixedAndBoundsMoved) {
  const auto run = [](const std::vector<std::string>& more) {
    const Outcome outcome = priorfit(with(with(continuous, {"--format", "json"}), more));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  };
  const auto fixed = run({"--noise", "0.01"});
  EXPECT_EQ(fixed.at("recommended").at("noise_variance"), 0.01);
  EXPECT_EQ(fixed.at("search").at("noise"), "fixed");
  const auto bounded = run({"--weight-bounds", "0.01,0.1", "--bias-bounds", "0.2,0.3"});
  EXPECT_EQ(bounded.at("recommended").at("weight_variance"), 0.1);
  EXPECT_EQ(bounded.at("recommended").at("at_bound")[0], "weight_variance:upper");
  EXPECT_GE(bounded.at("recommended").at("bias_variance").get<double>(), 0.2);
}

TEST(Recommend, BoundsThatMakeNoSenseAreUsageErrors) {
  for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{{"--weight-bounds", "1"},
                                                                                   {"--weight-bounds", "0,1"},
                                                                                   {"--noise-bounds", "1,0.5"},
                                                                                   {"--bias-bounds", "-1,1"},
                                                                                   {"--noise", "some"},
                                                                                   {"--time-limit", "0"},
                                                                                   {"--samples", "many"}}) {
    const Outcome outcome = priorfit(with(continuous, bad));
    EXPECT_EQ(outcome.code, 2) << bad[0] << " " << bad[1];
  }
}

TEST(Recommend, SurfaceIsInTheResultFiles) {
  const Scratch scratch;
  const Outcome outcome =
      priorfit({"recommend", "digits", "--criterion", "evidence", "--samples", "40", "--out", scratch.path("out")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto surface = nlohmann::json::parse(read_all(scratch.path("out/recommendation.json"))).at("surface");
  EXPECT_EQ(surface.at("weight_variances").size(), 40u);
  EXPECT_EQ(surface.at("log_marginal_likelihood").size(), 40u);
  EXPECT_EQ(surface.at("log_marginal_likelihood")[0].size(), 40u);
  EXPECT_EQ(surface.at("samples"), 40);
}

// ReLU is critical at He's pair and nowhere else; tanh at (2, 0) is chaotic.
TEST(Recommend, SaysHowFarASignalTravels) {
  const std::vector<std::string> common = {"recommend", "digits", "--criterion", "evidence",
                                           "--samples", "60",     "--format",    "json"};
  const auto signals = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = common;
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = priorfit(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json.at("baselines")[0].at("name"), "He");
    const auto& best = json.at("recommended");
    const SignalPropagation expected =
        signal_propagation(Activation::parse(json.at("network").at("activation").get<std::string>()),
                           {best.at("weight_variance").get<double>(), best.at("bias_variance").get<double>()});
    EXPECT_DOUBLE_EQ(best.at("signal").at("chi").get<double>(), expected.chi);
    EXPECT_EQ(best.at("signal").at("phase"), to_string(expected.phase));
    return json.at("baselines")[0].at("signal");
  };
  const auto relu = signals({});
  EXPECT_EQ(relu.at("phase"), "critical");
  EXPECT_DOUBLE_EQ(relu.at("chi").get<double>(), 1.0);
  EXPECT_TRUE(relu.at("depth_scale").is_null());  // infinite
  const auto tanh = signals({"--activation", "tanh", "--depth", "2"});
  EXPECT_EQ(tanh.at("phase"), "chaotic");
  EXPECT_GT(tanh.at("chi").get<double>(), 1.0);
  const Outcome table = priorfit({"recommend", "digits", "--criterion", "evidence", "--samples", "60"});
  EXPECT_THAT(table.out, testing::ContainsRegex("start +phase +q\\* +χ₁ +ξ in layers"));
  EXPECT_THAT(table.out, testing::ContainsRegex("  He +critical +1 +1 +∞"));
}

// Sigmoid is critical at 103, far beyond the bounds of the search.
TEST(Recommend, SaysWhenTheNetworkIsDeeperThanASignalTravels) {
  const Outcome deep = priorfit({"recommend", "digits", "--criterion", "evidence", "--samples", "40", "--activation",
                                 "sigmoid", "--depth", "20"});
  EXPECT_THAT(deep.out, testing::ContainsRegex("crosses [0-9] of the 20 layers; at .* the phases change at .* = 103"));
  EXPECT_THAT(priorfit({"recommend", "digits", "--criterion", "evidence", "--samples", "40"}).out,
              testing::Not(HasSubstr("of the 1 layers")));
}

TEST(Recommend, ManyRowsAreSampledUntilTheTimeIsUp) {
  const Scratch scratch;
  std::string table = "a,b,y\n";
  for (int i = 0; i < 2100; ++i) {
    const double a = std::sin(i * 1.7), b = std::cos(i * 2.3);
    table +=
        std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(a * b + 0.1 * std::sin(i * 91.0)) + "\n";
  }
  const Outcome outcome = priorfit({"recommend", scratch.file("rows.csv", table), "--criterion", "evidence",
                                    "--time-limit", "0.001", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("data").at("samples"), 500);
  EXPECT_EQ(json.at("data").at("rows"), 2100);
  ASSERT_EQ(json.at("path").size(), 1u);
  EXPECT_EQ(json.at("path")[0].at("subsets").size(), 3u);
  EXPECT_EQ(json.at("search").at("settled"), false);
  EXPECT_EQ(json.at("search").at("ended_by"), "time limit");
}

}  // namespace
}  // namespace priorfit::cli
