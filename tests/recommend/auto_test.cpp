// The default answer: keep or change.
#include <gmock/gmock.h>

#include <cmath>

#include "priorfit/recommend.hpp"
#include "priorfit/training.hpp"
#include "recommend/starts.hpp"

namespace priorfit {
namespace {

using testing::HasSubstr;

PreparedData digits(Index rows, std::uint64_t seed = 1) {
  return prepare(load_dataset({.source = "digits"}), {.samples = rows, .seed = seed});
}

RecommendOptions asked(Index pilots) {
  RecommendOptions options;
  options.pilots.count = pilots;
  options.pilots.training.epochs = 15;
  return options;
}

const NetworkSpec narrow_enough = NetworkSpec::uniform(1, 64);

TEST(Auto, SaysChangeWhereTheCurrentStartIsPoor) {
  RecommendOptions options = asked(60);
  options.current.scheme.reset();
  options.current.pair = {60.0, 30.0};
  const Recommendation answer = recommend(digits(300), narrow_enough, options);
  ASSERT_TRUE(answer.advice);
  const Verdict& verdict = answer.advice->verdict;
  EXPECT_EQ(verdict.action, Verdict::Action::change);
  EXPECT_TRUE(verdict.measured);
  EXPECT_GT(verdict.gain_interval->lower, 0.0);
  EXPECT_GT(*verdict.recommended_value, *verdict.current_value);
  EXPECT_EQ(answer.chosen.start, answer.advice->best_other().start);
  EXPECT_THAT(to_table(answer), HasSubstr("Change it to "));
  EXPECT_THAT(to_table(answer), HasSubstr("torch.nn.init"));
}

TEST(Auto, KeepsTheCurrentStartWhereNothingIsBetter) {
  // Three starts at most are trained: too few to tell anything.
  const Recommendation answer = recommend(digits(120), narrow_enough, asked(3));
  EXPECT_EQ(answer.advice->verdict.action, Verdict::Action::keep);
  EXPECT_EQ(answer.chosen.start.scheme, InitialScheme::pytorch);
  EXPECT_EQ(answer.advice->pilots->count, 3);
  const std::string text = to_table(answer);
  EXPECT_THAT(text, HasSubstr("Keep PyTorch's default"));
  EXPECT_THAT(text, testing::Not(HasSubstr("torch.nn.init")));
}

TEST(Auto, IsShort) {
  const Recommendation answer = recommend(digits(120), narrow_enough, asked(12));
  const std::string text = to_table(answer);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 20);
  EXPECT_GT(to_details(answer).size(), 2 * text.size());
  EXPECT_THAT(to_details(answer), HasSubstr("By the evidence alone"));
}

TEST(Auto, GivesTheSameBytesForTheSameNumberOfPilots) {
  const auto json = [&](int threads) {
    Recommendation answer = recommend(digits(120), narrow_enough, asked(16), {.threads = threads});
    answer.seconds = answer.search_seconds = 0.0;
    answer.peak_bytes = 0;
    return to_json(answer);
  };
  EXPECT_EQ(json(2), json(2));
}

TEST(Auto, WithoutPilotsSaysThatItIsTheoryAlone) {
  const Recommendation answer = recommend(digits(200), NetworkSpec::uniform(1, 512), asked(0));
  EXPECT_FALSE(answer.advice->pilots);
  EXPECT_FALSE(answer.advice->verdict.measured);
  EXPECT_THAT(to_table(answer), HasSubstr("Theory alone"));
}

TEST(Auto, GivesTheSameAnswerInAnyUnits) {
  Dataset data;
  data.name = "lines";
  data.train.inputs = Matrix(60, 2);
  for (Index r = 0; r < 60; ++r) data.train.inputs.row(r) << double(r % 7), double(r % 11);
  const Vector targets = (data.train.inputs.col(0).array() * 0.7 + data.train.inputs.col(1).array().sin()).matrix();
  const auto verdict_in = [&](double unit) {
    data.train.targets = unit * targets;
    return recommend(prepare(data, {.preprocess = Preprocess::standardize}), narrow_enough, asked(0)).advice->verdict;
  };
  const Verdict usual = verdict_in(1.0);
  for (const double unit : {1e-300, 1e-200, 1e200, 1e300}) {
    const Verdict verdict = verdict_in(unit);
    EXPECT_EQ(verdict.action, usual.action);
    EXPECT_NEAR(*verdict.gain / unit, *usual.gain, 1e-6 * std::abs(*usual.gain)) << unit;
    EXPECT_NEAR(*verdict.gain_standard_error / unit, *usual.gain_standard_error, 1e-6) << unit;
  }
}

// What could not be predicted may train well: theory alone does not call it diverging.
TEST(Auto, KeepsAStartThatTheoryCannotPredict) {
  RecommendOptions options = asked(0);
  options.current.scheme.reset();
  options.current.pair = {30.0, 0.0};
  const Recommendation answer = recommend(digits(50), NetworkSpec::uniform(300, 64), options);
  const Verdict& verdict = answer.advice->verdict;
  EXPECT_EQ(verdict.action, Verdict::Action::keep);
  EXPECT_FALSE(verdict.current_fails);
  EXPECT_FALSE(verdict.gain);
  EXPECT_THAT(to_table(answer), HasSubstr("Keep (30, 0): what training does could not be predicted"));
}

TEST(Auto, DoesNotTrustTheoryOfNarrowLayers) {
  const Recommendation answer = recommend(digits(120), NetworkSpec::uniform(1, 16), asked(12));
  EXPECT_FALSE(answer.advice->theory_applies);
  EXPECT_FALSE(answer.advice->pilots->theory_used);
  EXPECT_THAT(to_table(answer), HasSubstr("too narrow"));
}

TEST(Auto, WarnsOfRepeatedRowsAndOfFew) {
  PreparedData data = digits(40);
  const Samples once = data.train;
  data.train.inputs.resize(120, once.inputs.cols());
  data.train.targets.resize(120, once.targets.cols());
  data.train.labels.clear();
  for (Index i = 0; i < 120; ++i) {
    data.train.inputs.row(i) = once.inputs.row(i % 40);
    data.train.targets.row(i) = once.targets.row(i % 40);
    data.train.labels.push_back(once.labels[static_cast<std::size_t>(i % 40)]);
  }
  EXPECT_THAT(to_table(recommend(data, narrow_enough, asked(4))), HasSubstr("80 of 120 rows repeat"));
  EXPECT_THAT(to_table(recommend(digits(40), narrow_enough, asked(4))), HasSubstr("40 rows are few"));
}

TEST(Auto, ListsSimpleStartsFirstAndNoneTwice) {
  Advice advice;
  internal::list_starts(advice, narrow_enough, 64, 10, {.current = {.scheme = InitialScheme::he}});
  EXPECT_EQ(advice.names[0], "He");
  EXPECT_EQ(advice.names[1], "PyTorch's default");
  for (std::size_t i = 0; i < advice.starts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(advice.starts[i].start == advice.starts[j].start) << i << " " << j;
  }
}

TEST(Auto, ListsNoStartOutsideTheBoundsButTheOneInUse) {
  Advice advice;
  RecommendOptions options;
  options.bias_bounds = {0.0, 1e-9};
  options.weight_bounds = {0.6, 2.5};
  internal::list_starts(advice, narrow_enough, 64, 10, options);
  EXPECT_EQ(advice.names[0], "PyTorch's default");
  EXPECT_GT(advice.starts.size(), 5u);
  for (std::size_t i = 1; i < advice.starts.size(); ++i) {
    const std::vector<LayerPrior>& layers = advice.starts[i].start.layers;
    if (!advice.starts[i].start.scheme) {
      EXPECT_GE(layers.front().weight_variance, 0.6) << advice.names[i];
      EXPECT_LE(layers.front().weight_variance, 2.5) << advice.names[i];
    }
    for (const LayerPrior& layer : layers) EXPECT_LE(layer.bias_variance, 1e-9) << advice.names[i];
  }
}

/// Full-batch gradient descent on squared error from the drawn start; the loss after some steps over that at first.
/// Only the first steps are those of a linear network: one that has grown may later fall into a flatter place.
double descend(const PreparedData& data, const NetworkSpec& network, const Initialisation& start, double rate,
               Index steps) {
  Mlp trained = initialise(network, data.features(), data.outputs(), start, 3);
  TrainOptions options{.epochs = steps, .batch = data.train.size(), .loss = Loss::squared};
  options.optimizer.kind = OptimizerKind::sgd;
  options.learning_rate.base = rate;
  const TrainingSummary summary = train(trained, data.train, {}, options);
  if (summary.diverged) return INFINITY;
  return summary.history.back().train_loss / summary.history.front().train_loss;
}

TEST(Auto, NamesTheLargestStableRateOfDescent) {
  const PreparedData data = digits(150);
  const NetworkSpec wide = NetworkSpec::uniform(1, 2000);
  const Recommendation answer = recommend(data, wide, asked(0));
  ASSERT_TRUE(answer.advice->largest_stable_rate);
  const double rate = *answer.advice->largest_stable_rate;
  EXPECT_LT(descend(data, wide, answer.chosen.start, 0.5 * rate, 60), 0.9);
  EXPECT_GT(descend(data, wide, answer.chosen.start, 2.0 * rate, 5), 4.0);
}

TEST(Auto, TakesTargetsOfAnyScale) {
  PreparedData data;
  const auto scaled = [&](double scale, double shift) {
    Dataset set;
    set.name = "prices";
    set.train.inputs = Matrix::Random(80, 3);
    set.train.targets = (set.train.inputs.col(0).array().square() * scale + shift).matrix();
    set.output_names = {"price"};
    return prepare(set, {});
  };
  std::srand(1);
  const PreparedData small = scaled(1.0, 0.0);
  std::srand(1);
  const PreparedData large = scaled(8e4, 2e5);
  EXPECT_LT((small.train.targets - large.train.targets).norm(), 1e-6);
  EXPECT_NEAR(large.target_scale[0] / small.target_scale[0], 8e4, 1e-3);
  const Recommendation answer = recommend(large, narrow_enough, asked(40));
  EXPECT_EQ(answer.advice->verdict.metric, "rmse");
  EXPECT_GT(*answer.advice->verdict.current_value, 100.0);  // in the target's own units
}

}  // namespace
}  // namespace priorfit
