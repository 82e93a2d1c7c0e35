#include "experiment/specification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "experiment/plan.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

using ::testing::HasSubstr;

std::string failure(const std::string& toml) {
  try {
    parse_specification(toml, "my.toml").validate();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Specification, SurvivesToml) {
  ExperimentSpecification s;
  s.data.source = "a \"quoted\\\" \n name.csv";
  s.data.target_column = "price";
  s.data.task = Task::regression;
  s.preprocess = Preprocess::center;
  s.test = "test.csv";
  s.test_fraction = 0.25;
  s.network.hidden_widths = {300, 20};
  s.weight_variances = {0.1, 2, 1e-9};
  s.bias_variances = {0, 1.0 / 3.0};
  s.noise_variance = std::nullopt;
  s.output_weight_variances = {0.01, 0.5};
  s.schemes = {InitialScheme::pytorch, InitialScheme::glorot};
  s.sizes = {10, 20};
  s.seeds = 3;
  s.seed = 77;
  s.training.epochs = 9;
  s.training.batch = 5;
  s.training.learning_rate.base = 0.01;
  s.training.evaluate_every = 4;
  s.training.loss = Loss::cross_entropy;
  s.training.label_smoothing = 0.125;
  s.training.optimizer = {.kind = OptimizerKind::sgd, .weight_decay = 0.25, .momentum = 0.5, .nesterov = true};
  s.training.learning_rate.warmup_epochs = 3;
  s.training.learning_rate.decay = Decay::cosine;
  s.training.validation_fraction = 0.375;
  s.training.patience = 6;
  s.prediction = {Optimizer::gradient_descent, 0.25, TrainingTime{200.0, 0.125}};
  const ExperimentSpecification back = parse_specification(to_toml(s), "x");
  EXPECT_EQ(specification_entries(back), specification_entries(s));
  EXPECT_EQ(back.data.source, s.data.source);
  EXPECT_EQ(back.bias_variances, s.bias_variances);
  EXPECT_EQ(back.schemes, s.schemes);
  EXPECT_EQ(back.prediction.time->steps, 200.0);
  const Entries changed = specification_entries(s);
  for (const auto& entry : specification_entries({})) {  // nothing was left at its default by oversight
    if (entry.first == "data.targets" || entry.first == "network.activation") continue;
    EXPECT_EQ(std::find(changed.begin(), changed.end(), entry), changed.end()) << entry.first;
  }
}

TEST(Specification, TakesMinusZeroForZero) {
  const std::string text = to_toml(parse_specification("[grid]\nbias_variances = [-0.0, 1.0]\n", "x"));
  EXPECT_EQ(text, to_toml(parse_specification("[grid]\nbias_variances = [0, 1]\n", "x")));
}

TEST(Specification, KeepsWhatTheFileDoesNotMention) {
  const ExperimentSpecification s =
      parse_specification("[training]\nepochs = 3\n", "x", experiment_preset("paper-curves"));
  EXPECT_EQ(s.training.epochs, 3);
  EXPECT_EQ(s.data.source, "mnist");
  EXPECT_EQ(s.sizes, (std::vector<Index>{1000, 3000, 5000}));
}

TEST(Specification, TrainsByTheLossOfItsTaskUnlessItIsThePapers) {
  EXPECT_EQ(experiment_preset("paper-curves").training.loss, Loss::squared);
  EXPECT_EQ(experiment_preset("paper-table").training.loss, Loss::squared);
  EXPECT_FALSE(ExperimentSpecification{}.training.loss.has_value());
  const auto overridden =
      parse_specification("[training]\nloss = \"cross-entropy\"\n", "x", experiment_preset("paper-table"));
  EXPECT_EQ(overridden.training.loss, Loss::cross_entropy);
  ExperimentSpecification automatic;
  automatic.training.learning_rate.base.reset();
  EXPECT_FALSE(parse_specification(to_toml(automatic), "x").training.learning_rate.base.has_value());
  EXPECT_EQ(unnamed_values().training.loss, Loss::squared);  // stored before losses could be chosen
}

TEST(Specification, PredictsAsEverWhereNothingIsSaid) {  // files older than the section [prediction]
  const ExperimentSpecification s = parse_specification("[training]\nepochs = 3\n", "x");
  EXPECT_EQ(s.prediction.optimizer, Optimizer::adam);
  EXPECT_EQ(s.prediction.ridge, 1e-3);
  EXPECT_FALSE(s.prediction.time);
  EXPECT_THAT(to_toml(s),
              HasSubstr("[prediction]\noptimizer = \"adam\"\nridge = 0.001\nsteps = 0\nlearning_rate = 0\n"));
}

TEST(Specification, TakesDepthAndWidth) {
  const ExperimentSpecification s = parse_specification("[network]\ndepth = 3\nwidth = 50\n", "x");
  EXPECT_EQ(s.network.hidden_widths, (std::vector<Index>{50, 50, 50}));
}

TEST(Specification, NamesLineAndKeyOfAMistake) {
  EXPECT_THAT(failure("[training]\n\nepoch = 3\n"),
              AllOf(HasSubstr("my.toml, line 3"), HasSubstr("did you mean 'training.epochs'")));
  EXPECT_THAT(failure("[training]\nepochs = \"many\"\n"), HasSubstr("line 2: training.epochs must be a whole number"));
  EXPECT_THAT(failure("[grid]\nweight_variances = [1, \"a\"]\n"), HasSubstr("grid.weight_variances must be a number"));
  EXPECT_THAT(failure("[network]\nactivation = \"rleu\"\n"), HasSubstr("relu"));
  EXPECT_THAT(failure("[training\n"), HasSubstr("my.toml, line 1"));
  EXPECT_THAT(failure("epochs = 3\n"), HasSubstr("outside of a section"));
  EXPECT_THAT(failure("[data]\nsource = \"digits\"\n[training]\nsizes = [200, 100]\n"), HasSubstr("ascending"));
  const std::string usual = "[data]\nsource = \"digits\"\n[training]\nsizes = [100]\n[prediction]\n";
  EXPECT_EQ(failure(usual), "no error");
  EXPECT_THAT(failure(usual + "ridge = -1\n"), HasSubstr("ridge is -1"));
  EXPECT_THAT(failure(usual + "steps = 10\n"), HasSubstr("the learning rate of predicted training is 0"));
  EXPECT_THAT(failure(usual + "steps = 10\nlearning_rate = 1\n"), HasSubstr("gradient descent"));
  EXPECT_THAT(failure(usual + "optimizer = \"adams\"\n"), HasSubstr("did you mean 'adam'"));
  EXPECT_THROW(experiment_preset("paper"), Error);
}

TEST(Specification, RefusesWhatIsOutOfRange) {
  EXPECT_THAT(failure("[network]\ndepth = 4611686018427387904\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("at most 10000")));
  EXPECT_THAT(failure("[training]\nseed = -1\n"), HasSubstr("at least 0"));
  EXPECT_THAT(failure("[network]\nwidths = []\ndepth = 2\n"),
              HasSubstr("line 2: network.widths must be a list with at least"));
}

TEST(Plan, TrainsHeEvenOffTheGrid) {
  ExperimentSpecification s;
  s.sizes = {10, 20};
  s.seeds = 2;
  s.weight_variances = {1.0};
  s.bias_variances = {0.0, 1.0};
  const NetworkShape shape{s.network, 5, 3};
  EXPECT_EQ(all_starts(s, shape).size(), 3u);
  EXPECT_EQ(planned_cells(s, shape).size(), 2u * (3 + 2 * 3));
  s.weight_variances = {2.0};
  EXPECT_EQ(all_starts(s, shape).size(), 2u);
  s.schemes = {InitialScheme::he, InitialScheme::pytorch};  // He's pair is there already
  EXPECT_EQ(all_starts(s, shape).size(), 3u);
  s.output_weight_variances = {0.01, 0.1};
  EXPECT_EQ(all_starts(s, shape).size(), 2u * 2 + 2);
  EXPECT_EQ(grid_of(s)[1].start, Initialisation::with_output(s.network, {2.0, 0.0}, 0.1));
}

TEST(Plan, AnOutputLikeTheOthersIsThePairItself) {
  ExperimentSpecification s;
  s.sizes = {10};
  s.weight_variances = {2.0};
  s.bias_variances = {0.0};
  s.output_weight_variances = {0.1, 2.0};
  EXPECT_EQ(all_starts(s, {s.network, 5, 3}).size(), 2u);  // the second is He's pair
}

}  // namespace
}  // namespace priorfit::internal
