// run_experiment() as a library call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiment/result.hpp"
#include "experiment/samples.hpp"
#include "helpers.hpp"
#include "priorfit/experiment.hpp"

namespace priorfit::internal {
namespace {

using ::testing::HasSubstr;

ExperimentSpecification small() {
  ExperimentSpecification s;
  s.data.source = "digits";
  s.network = NetworkSpec::uniform(1, 8);
  s.weight_variances = {0.5, 2.0};
  s.bias_variances = {0.0, 0.5};
  s.noise_variance = 1e-3;
  s.sizes = {30, 50};
  s.training.epochs = 2;
  s.training.batch = 16;
  return s;
}

/// A table of numbers, so that statistics of the chosen rows matter.
std::string table() {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(std::sin(i)) + "," + std::to_string(i % 7) + "," + std::to_string(std::cos(3 * i)) + "\n";
  }
  return text;
}

TEST(Run, SamplesAreThoseOfTheWholeSourceToTheBit) {
  const test::Scratch scratch;
  for (const std::string& source : {scratch.file("t.csv", table()), std::string("digits")}) {
    ExperimentSpecification s = small();
    s.data.source = source;
    s.sizes = {10, 20, 48};
    s.seed = 5;
    ExperimentSamples samples(s);
    for (const Index size : {Index{20}, Index{48}, Index{10}}) {
      const PreparedData expected =
          prepare(load_dataset(s.data), {.samples = size, .seed = 5, .test_fraction = s.test_fraction});
      const PreparedData& found = samples.of(size);
      EXPECT_EQ(found.train.inputs, expected.train.inputs) << source << " " << size;
      EXPECT_EQ(found.train.targets, expected.train.targets);
      EXPECT_EQ(found.train.labels, expected.train.labels);
      EXPECT_EQ(found.test.inputs, expected.test.inputs);
      EXPECT_EQ(found.test.targets, expected.test.targets);
      EXPECT_EQ(found.target_scale, expected.target_scale);
      EXPECT_EQ(found.rows, expected.rows);
      EXPECT_EQ(found.preprocess, expected.preprocess);
      EXPECT_EQ(found.notes, expected.notes);
    }
  }
}

TEST(Run, CancelledItKeepsWhatIsDoneWritesItAndContinues) {
  const test::Scratch scratch;
  ExperimentSpecification s = small();
  // Fitted noise: the figures may not depend on which cells came before, though these could share the work.
  s.noise_variance.reset();
  s.weight_variances = {0.5, 1.5};
  s.bias_variances = {0.0};
  const Experiment whole = run_experiment(s, {.folder = scratch.path("whole"), .also = {"trained-risk"}});
  EXPECT_TRUE(whole.complete);
  const ExperimentOptions options{.folder = scratch.path("cut"), .also = {"trained-risk"}};
  int stopped = 0;
  for (bool done = false; !done;) {
    int calls = 0;
    std::optional<double> last;
    const RunContext context{.progress = [&](const Progress& now) {
      EXPECT_THAT(now.stage, HasSubstr(" of 18 cells; "));  // with He 3 starts at 2 sizes, judged twice and trained
      EXPECT_GE(*now.fraction + 1e-9, last.value_or(0.0));
      last = now.fraction;
      return ++calls < (now.stage.find("evidence") != std::string::npos ? 2 : 8);
    }};
    try {
      run_experiment(s, options, context);
      done = true;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::interrupted);
      EXPECT_THAT(error.what(), HasSubstr("of 18 cells done; run it again to continue"));
      const auto json = nlohmann::json::parse(test::read_all(scratch.path("cut/experiment.json")));
      EXPECT_EQ(json.at("schema"), "priorfit.experiment/1");
      ++stopped;
      ASSERT_LT(stopped, 30);
    }
  }
  EXPECT_GT(stopped, 2);
  EXPECT_EQ(test::read_all(scratch.path("cut/experiment.json")), test::read_all(scratch.path("whole/experiment.json")));
}

TEST(Run, LeavesAUsersFilesBesideItsCheckpoints) {
  const test::Scratch scratch;
  const auto others = {"model.pt",
                       "cell-1.checkpoint.bak",
                       "cell-3.checkpoint.2024-11.tmp",
                       "cell-.checkpoint",
                       "cell-3x.checkpoint",
                       "cell-999.checkpoint",
                       "my-cell-3.checkpoint",
                       "cell-3.checkpoint.priorfit.tmp",
                       "cell-4.checkpoint.lock"};
  for (const char* name : others) scratch.file(std::string("e/checkpoints/") + name, "a user's");
  ExperimentSpecification s = small();
  s.sizes = {30};
  s.weight_variances = {2.0};
  s.bias_variances = {0.0, 0.5};  // cells 3 and 4 are trained
  run_experiment(s, {.folder = scratch.path("e")});
  for (const char* name : others)
    EXPECT_TRUE(std::filesystem::exists(scratch.path("e/checkpoints") + "/" + name)) << name;
  // What killed processes have left of cells that are done.
  const auto left = {"cell-3.checkpoint", "cell-3.checkpoint.priorfit-4711-0.tmp", "cell-3.checkpoint.lock"};
  for (const char* name : left) scratch.file(std::string("e/checkpoints/") + name, "4711");
  run_experiment(s, {.folder = scratch.path("e")});
  for (const char* name : left)
    EXPECT_FALSE(std::filesystem::exists(scratch.path("e/checkpoints") + "/" + name)) << name;
  for (const char* name : others)
    EXPECT_TRUE(std::filesystem::exists(scratch.path("e/checkpoints") + "/" + name)) << name;
}

TEST(Run, RefusesNegativePatience) {
  const test::Scratch scratch;
  test::expect_error(
      ErrorKind::usage,
      [&] { run_experiment(small(), {.folder = scratch.path("e"), .patience = std::chrono::milliseconds(-1)}); },
      "patience is -1 ms");
}

TEST(Run, RefusesANetworkThatMemoryDoesNotHold) {
  const test::Scratch scratch;
  ExperimentSpecification s = small();
  s.network = NetworkSpec::uniform(2, 3'000'000);
  test::expect_error(
      ErrorKind::resource, [&] { run_experiment(s, {.folder = scratch.path("e")}); }, "parameters needs");
  EXPECT_FALSE(std::filesystem::exists(scratch.path("e")));
}

TEST(Run, RiskOptionsAreRecordedAndCompared) {
  const test::Scratch scratch;
  ExperimentSpecification s = small();
  s.sizes = {30};
  s.prediction.ridge = 0.125;
  const ExperimentOptions options{.folder = scratch.path("e"), .also = {"trained-risk"}};
  const Experiment result = run_experiment(s, options);
  EXPECT_EQ(result.specification.prediction.ridge, 0.125);
  EXPECT_THAT(test::read_all(scratch.path("e/specification.toml")),
              HasSubstr("[prediction]\noptimizer = \"adam\"\nridge = 0.125\n"));
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json.at("specification").at("prediction").at("ridge"), 0.125);
  s.prediction.ridge = 1e-3;
  test::expect_error(
      ErrorKind::usage, [&] { run_experiment(s, options); }, "prediction.ridge = 0.125, and 0.001");
}

TEST(Run, RefusesCriteriaThatItDoesNotKnow) {
  const test::Scratch scratch;
  test::expect_error(
      ErrorKind::usage, [&] { run_experiment(small(), {.folder = scratch.path("e"), .also = {"trained-risc"}}); },
      "did you mean 'trained-risk'");
  EXPECT_FALSE(std::filesystem::exists(scratch.path("e")));
}

/// Prefers the largest weights, and counts how often it was made.
struct Largest : Criterion {
  std::string_view name() const override { return "largest"; }
  Score judge(const Initialisation& start, const RunContext& context) override {
    context.report({.stage = "looking", .fraction = 0.5});
    return Score::of(start.layers.front().weight_variance);
  }
};

TEST(Run, ACriterionOfOnesOwnIsMadeOncePerSize) {
  const test::Scratch scratch;
  int made = 0;
  register_criterion({.name = "largest", .summary = "the largest weights", .make = [&](const CriterionInputs& in) {
                        ++made;
                        EXPECT_NE(in.labels, nullptr);
                        return std::make_unique<Largest>();
                      }});
  const ExperimentOptions options{.folder = scratch.path("e"), .also = {"largest"}};
  const Experiment result = run_experiment(small(), options);
  EXPECT_EQ(made, 2);
  int rows = 0;
  for (const RuleRow& row : result.rows) {
    if (row.rule != "largest") continue;
    ++rows;
    EXPECT_EQ(row.start.pair()->weight_variance, 2.0);
  }
  EXPECT_EQ(rows, 2);
}

}  // namespace
}  // namespace priorfit::internal
