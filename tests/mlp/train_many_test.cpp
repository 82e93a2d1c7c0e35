// Networks side by side: each ends as it would alone, on its own rows, from its own start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mlp/random_samples.hpp"
#include "mlp/training_helpers.hpp"

namespace priorfit {
namespace {

using test::message_of;
using test::prepared;
using test::random_classes;
using test::random_regression;
using test::same_weights;
using testing::HasSubstr;

class TrainMany : public testing::Test {
 protected:
  Initialisation pair(double weight_variance) const { return Initialisation::tied(spec_, {weight_variance, 0.1}); }

  /// Trained by train() from the task's start on a copy of its rows.
  Mlp alone(const NetworkTask& task, TrainOptions options, TrainingSummary& summary) const {
    Mlp network = initialise(spec_, data_.features(), data_.outputs(), task.start, task.seed);
    options.seed = task.seed;
    summary = train(network, rows_of(task.train_rows, data_.train), rows_of(task.test_rows, data_.test), options,
                    {.threads = 1});
    return network;
  }

  const NetworkSpec spec_{{30, 20}, {}};
  const PreparedData data_ = prepared(random_classes(150, 20, 4, 1.0, 1), random_classes(60, 20, 4, 1.0, 2));

 private:
  Samples rows_of(std::span<const Index> rows, const Samples& all) const {
    if (rows.empty()) return all;
    const auto count = static_cast<Index>(rows.size());
    Samples part{Matrix(count, data_.features()), Matrix(count, data_.outputs()), {}};
    for (Index i = 0; i < count; ++i) {
      const Index row = rows[static_cast<std::size_t>(i)];
      part.inputs.row(i) = data_.train.inputs.row(row);
      part.targets.row(i) = data_.train.targets.row(row);
      if (!data_.train.labels.empty()) part.labels.push_back(data_.train.labels[static_cast<std::size_t>(row)]);
    }
    return part;
  }
};

TEST_F(TrainMany, EveryNetworkEndsAsItWouldAlone) {
  const TrainOptions options{
      .epochs = 4, .batch = 32, .optimizer = {.kind = OptimizerKind::adamw, .weight_decay = 0.1}};
  std::vector<Index> fold, rest;
  for (Index row = 0; row < 150; ++row) (row % 3 == 1 ? fold : rest).push_back(row);
  const std::vector<Index> drawn_twice = {5, 5, 140, 7, 0, 33, 12, 12};
  Initialisation layers{{{2.0, 0.0}, {0.5, 0.3}, {0.01, 0.0}}, Distribution::uniform};
  const std::vector<NetworkTask> tasks = {
      {pair(2.0), 3},
      {pair(0.1), 1, rest, fold},
      {layers, 4, fold, rest},
      {Initialisation::named(InitialScheme::pytorch, spec_, 20, 4), 15, rest, {}},
      {pair(1.0), 9, drawn_twice, fold},
  };
  for (const int threads : {1, 2, 3}) {
    double last = 0;
    RunContext context{.threads = threads};
    context.progress = [&](const Progress& p) {
      EXPECT_GE(*p.fraction, last);
      last = *p.fraction;
      return true;
    };
    std::vector<Mlp> networks(tasks.size());
    const auto summaries =
        train_many(spec_, data_, tasks, options, context,
                   [&](std::size_t i, const TrainingSummary&, const Mlp& trained) { networks[i] = trained; });
    EXPECT_EQ(last, 1.0);
    ASSERT_EQ(summaries.size(), tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      TrainingSummary expected;
      EXPECT_TRUE(same_weights(networks[i], alone(tasks[i], options, expected))) << i << " on " << threads;
      EXPECT_EQ(summaries[i].test->samples, expected.test->samples);
      EXPECT_EQ(summaries[i].test->loss, expected.test->loss);
      EXPECT_EQ(summaries[i].test->accuracy, expected.test->accuracy);
      EXPECT_EQ(summaries[i].test->negative_log_likelihood, expected.test->negative_log_likelihood);
      EXPECT_EQ(summaries[i].train.samples, expected.train.samples);
      EXPECT_EQ(summaries[i].history.size(), 4U);
    }
  }
}

TEST_F(TrainMany, HoldsOutRowsOfTheFoldToValidate) {
  const TrainOptions options{.epochs = 6, .batch = 16, .validation_fraction = 0.25};
  std::vector<Index> rows;
  for (Index row = 50; row < 150; ++row) rows.push_back(row);
  const std::vector<NetworkTask> tasks = {{pair(2.0), 3, rows, {}}};
  const auto summaries = train_many(spec_, data_, tasks, options);
  TrainingSummary expected;
  alone(tasks[0], options, expected);
  EXPECT_EQ(summaries[0].validation->samples, expected.validation->samples);
  EXPECT_EQ(summaries[0].validation->loss, expected.validation->loss);
  EXPECT_EQ(summaries[0].best_epoch, expected.best_epoch);
}

TEST_F(TrainMany, MeasuresNumbersInTheirUnits) {
  PreparedData data = prepared(random_regression(90, 20, 1, 1.0, 1), {});
  data.target_scale = Vector::Constant(1, 1000.0);
  const std::vector<Index> fold = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto summary = train_many(spec_, data, {{{pair(1.0), 1, {}, fold}}}, {.epochs = 2}).front();
  EXPECT_NEAR(*summary.test->rmse, 1000.0 * std::sqrt(summary.test->loss), 1e-3);
  EXPECT_EQ(summary.test->samples, 8);
}

// Wide enough for two threads each: what is left over after the pairs uses both.
TEST(TrainManyWide, EndAsTheyWouldAlone) {
  const PreparedData data = prepared(random_classes(150, 20, 4, 1.0, 1), {});
  const NetworkSpec wide{{700}, {}};
  const Initialisation start = Initialisation::tied(wide, {});
  const std::vector<NetworkTask> tasks = {{start, 7}, {start, 8}, {start, 9}};
  train_many(wide, data, tasks, {.epochs = 2, .batch = 150}, {.threads = 2},
             [&](std::size_t i, const TrainingSummary&, const Mlp& trained) {
               Mlp network = initialise(wide, 20, 4, start, 7 + i);
               train(network, data, {.epochs = 2, .batch = 150, .seed = 7 + i}, {.threads = 1});
               EXPECT_TRUE(same_weights(trained, network)) << i;
             });
}

TEST_F(TrainMany, StopsAllAndHasToldOfThoseThatWereDone) {
  const std::vector<NetworkTask> tasks(8, {pair(2.0), 1});
  for (const int threads : {1, 2}) {
    RunContext context{.threads = threads};
    context.progress = [](const Progress& p) { return p.fraction < 0.5; };
    std::size_t told = 0;
    const auto call = [&] {
      train_many(spec_, data_, tasks, {.epochs = 20}, context,
                 [&](std::size_t, const TrainingSummary& summary, const Mlp&) {
                   ++told;
                   EXPECT_EQ(summary.history.size(), 20U);
                 });
    };
    EXPECT_EQ(message_of(ErrorKind::interrupted, call), "interrupted while training networks");
    EXPECT_GE(told, 3U);
    EXPECT_LE(told, 5U);
  }
}

TEST_F(TrainMany, RefusesATaskByItsNumber) {
  const auto refusal = [&](const NetworkTask& task, const TrainOptions& options = {.epochs = 1}) {
    const std::vector<NetworkTask> tasks = {{pair(2.0), 1}, task};
    return message_of(ErrorKind::usage, [&] { train_many(spec_, data_, tasks, options); });
  };
  const std::vector<Index> beyond = {3, 150}, below = {-1};
  EXPECT_THAT(refusal({pair(2.0), 1, beyond, {}}),
              HasSubstr("train_rows of task 1 holds 150: it must be at least 0 and below 150"));
  EXPECT_THAT(refusal({pair(2.0), 1, {}, below}), HasSubstr("test_rows of task 1 holds -1"));
  EXPECT_THAT(refusal({Initialisation{{{2.0, 0.0}}}, 1}), HasSubstr("start of task 1: "));
  EXPECT_THAT(refusal({pair(1e80), 1}), HasSubstr("start of task 1: weight_variance is 1e+80"));
  EXPECT_THAT(refusal({pair(2.0), 1}, {.checkpoint = "file"}), HasSubstr("checkpoint is 'file'"));
  EXPECT_TRUE(train_many(spec_, data_, {}, {}).empty());
}

}  // namespace
}  // namespace priorfit
