// Losses, optimisers, schedules and validation, as a caller of train() meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "helpers.hpp"
#include "mlp/held_out.hpp"
#include "mlp/input_rows.hpp"
#include "mlp/random_samples.hpp"
#include "mlp/training_helpers.hpp"
#include "priorfit/error.hpp"
#include "priorfit/training.hpp"
#include "support/file_lock.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::message_of;
using test::prepared;
using test::random_classes;
using test::random_regression;
using test::same_weights;
using testing::HasSubstr;

class Learning : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("priorfit-learn-" + std::to_string(::getpid()) + "-" +
                                                        testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Mlp fresh(std::uint64_t seed = 1, Index outputs = 4) const {
    return initialise({{30}, {}}, 20, outputs, LayerPrior{2.0, 0.1}, seed);
  }
  std::filesystem::path folder_;
  const Samples train_ = random_classes(150, 20, 4, 1.0, 1);  // dense
  const Samples test_ = random_classes(60, 20, 4, 1.0, 2);
};

TEST_F(Learning, EveryLossAndOptimizerLearns) {
  const std::pair<OptimizerOptions, double> rules[] = {
      {{.kind = OptimizerKind::adam}, 0.01},
      {{.kind = OptimizerKind::adamw, .weight_decay = 0.01}, 0.01},
      {{.kind = OptimizerKind::sgd}, 0.5},
      {{.kind = OptimizerKind::sgd, .momentum = 0.9, .nesterov = true}, 0.1}};
  for (const Loss loss : {Loss::squared, Loss::cross_entropy}) {
    for (const auto& [optimizer, rate] : rules) {
      Mlp network = fresh();
      const TrainingSummary summary =
          train(network, train_, test_,
                {.epochs = 60, .batch = 16, .loss = loss, .optimizer = optimizer, .learning_rate = {.base = rate}});
      EXPECT_GT(*summary.train.accuracy, 0.95) << to_string(loss) << " " << to_string(optimizer.kind);
      EXPECT_LT(summary.history.back().train_loss, 0.5 * summary.history.front().train_loss);
      EXPECT_EQ(summary.train.negative_log_likelihood.has_value(), loss == Loss::cross_entropy);
    }
  }
}

TEST_F(Learning, ClassesDefaultToCrossEntropyAndNumbersToSquaredError) {
  EXPECT_EQ(TrainOptions{}.resolved(true).loss, Loss::cross_entropy);
  EXPECT_EQ(TrainOptions{}.resolved(false).loss, Loss::squared);
  EXPECT_EQ(TrainOptions{}.resolved(true).learning_rate.base, 1e-3);
  EXPECT_EQ(TrainOptions{.optimizer = {.kind = OptimizerKind::sgd}}.resolved(true).learning_rate.base, 1e-2);
  EXPECT_THAT(message_of(ErrorKind::usage, [] { TrainOptions{.loss = Loss::cross_entropy}.resolved(false); }),
              HasSubstr("loss is cross-entropy, which needs classes"));
}

TEST_F(Learning, OneLogitTellsTwoClasses) {
  Samples train = random_classes(150, 20, 2, 1.0, 1), test = random_classes(60, 20, 2, 1.0, 2);
  train.targets.resize(150, 0), test.targets.resize(60, 0);  // labels are enough
  Mlp network = fresh(1, 1);
  const TrainingSummary summary =
      priorfit::train(network, train, test, {.epochs = 60, .batch = 16, .learning_rate = {.base = 0.01}});
  EXPECT_GT(*summary.train.accuracy, 0.95);
  EXPECT_GT(*summary.test->accuracy, 0.7);
  const Matrix logits = forward(network, test.inputs);
  double nll = 0;
  Index right = 0;
  for (Index r = 0; r < 60; ++r) {
    const int label = test.labels[static_cast<std::size_t>(r)];
    nll += std::log1p(std::exp(label == 1 ? -logits(r, 0) : logits(r, 0))) / 60;
    right += (logits(r, 0) > 0) == (label == 1) ? 1 : 0;
  }
  EXPECT_NEAR(*summary.test->negative_log_likelihood, nll, 1e-6 * nll);
  EXPECT_EQ(*summary.test->accuracy, static_cast<double>(right) / 60);
  const ConfusionMatrix confusion = confusion_matrix(network, test);
  EXPECT_EQ(confusion[0][0] + confusion[1][1], right);
  train.labels[7] = 2;
  EXPECT_THAT(message_of(ErrorKind::usage, [&] { priorfit::train(network, train, {}, {}); }),
              HasSubstr("train has label 2 at row 7: it must be at least 0 and below 2"));
}

TEST_F(Learning, MeasuresImbalanceAndTheTopFive) {
  const Samples data = random_classes(300, 40, 25, 1.0, 3);
  const Mlp network = initialise({{30}, {}}, 40, 25, LayerPrior{2.0, 0.1}, 1);
  const Metrics metrics = evaluate(network, data);
  const Matrix outputs = forward(network, data.inputs);
  std::vector<double> right(25, 0), count(25, 0);
  double top = 0, accuracy = 0, nll = 0, balanced = 0;
  for (Index r = 0; r < 300; ++r) {
    const int label = data.labels[static_cast<std::size_t>(r)];
    const auto above = (outputs.row(r).array() > outputs(r, label)).count();
    count[static_cast<std::size_t>(label)] += 1;
    right[static_cast<std::size_t>(label)] += above == 0 ? 1 : 0;
    accuracy += above == 0 ? 1.0 / 300 : 0;
    top += above < 5 ? 1.0 / 300 : 0;
    nll += (std::log(outputs.row(r).array().exp().sum()) - outputs(r, label)) / 300;
  }
  double classes = 0;
  for (std::size_t c = 0; c < 25; ++c) {
    if (count[c] > 0) balanced += right[c] / count[c], classes += 1;
  }
  EXPECT_NEAR(*metrics.accuracy, accuracy, 1e-12);
  EXPECT_NEAR(*metrics.top5_accuracy, top, 1e-12);
  EXPECT_NEAR(*metrics.negative_log_likelihood, nll, 1e-6);
  EXPECT_NEAR(*metrics.balanced_accuracy, balanced / classes, 1e-12);
  EXPECT_NE(*metrics.balanced_accuracy, *metrics.accuracy);
  EXPECT_GT(*metrics.top5_accuracy, *metrics.accuracy);
  EXPECT_FALSE(evaluate(fresh(), test_).top5_accuracy.has_value());
  EXPECT_NEAR(
      evaluate(network, data, {.label_smoothing = 0.1}).loss,
      0.9 * nll + 0.1 *
                      [&] {
                        double sum = 0;
                        for (Index r = 0; r < 300; ++r)
                          sum += std::log(outputs.row(r).array().exp().sum()) - outputs.row(r).mean();
                        return sum / 300;
                      }(),
      1e-6);
}

TEST(LearningRate, WarmsUpAndFallsAsItSays) {
  const LearningRateSchedule flat{.base = 0.1};
  EXPECT_EQ(flat.at(1, 10, 5), 0.1);
  EXPECT_EQ(flat.at(50, 10, 5), 0.1);
  const LearningRateSchedule schedule{.base = 0.1, .warmup_epochs = 2, .decay = Decay::cosine};
  EXPECT_DOUBLE_EQ(schedule.at(1, 10, 12), 0.1 / 21);
  EXPECT_DOUBLE_EQ(schedule.at(20, 10, 12), 0.1 * 20 / 21);
  EXPECT_DOUBLE_EQ(schedule.at(21, 10, 12), 0.1);
  EXPECT_DOUBLE_EQ(schedule.at(71, 10, 12), 0.05);
  EXPECT_GT(schedule.at(120, 10, 12), 0);
  EXPECT_LT(schedule.at(120, 10, 12), 1e-4);
}

// A target that the inputs do not tell: what is learnt of it is noise, and validation soon says so.
TEST_F(Learning, StopsEarlyWithTheBestWeights) {
  Samples noise = train_;
  for (std::size_t i = 0; i < noise.labels.size(); ++i) noise.labels[i] = static_cast<int>(i * 7 % 13 % 4);
  TrainOptions options{
      .epochs = 200, .batch = 16, .learning_rate = {.base = 0.01}, .validation_fraction = 0.3, .patience = 5};
  Mlp network = fresh();
  const TrainingSummary summary = train(network, noise, test_, options);
  EXPECT_TRUE(summary.stopped_early);
  ASSERT_TRUE(summary.best_epoch.has_value());
  ASSERT_EQ(static_cast<Index>(summary.history.size()), *summary.best_epoch + 5);
  EXPECT_EQ(summary.train.samples + summary.validation->samples, 150);
  const auto best = static_cast<std::size_t>(*summary.best_epoch) - 1;
  for (const EpochRecord& record : summary.history) {
    EXPECT_GE(record.validation->loss, summary.history[best].validation->loss);
  }
  EXPECT_EQ(summary.validation->loss, summary.history[best].validation->loss);
  EXPECT_EQ(summary.test->loss, summary.history[best].test->loss);
  EXPECT_EQ(evaluate(network, test_).loss, summary.test->loss);

  // Cut off at any epoch, before or after the best, it ends with the same weights.
  options.checkpoint = folder_ / "checkpoint";
  for (std::size_t stop = 1; stop < summary.history.size(); stop += 2) {
    RunContext context;
    const double until = (static_cast<double>(stop) - 0.5) / 200;
    context.progress = [until](const Progress& p) { return p.fraction < until; };
    Mlp part = fresh();
    EXPECT_THAT(message_of(ErrorKind::interrupted, [&] { train(part, noise, test_, options, context); }),
                HasSubstr("interrupted after"));
  }
  Mlp resumed = fresh();
  const TrainingSummary rest = train(resumed, noise, test_, options);
  EXPECT_TRUE(same_weights(network, resumed));
  EXPECT_EQ(rest.best_epoch, summary.best_epoch);
  EXPECT_EQ(rest.test->loss, summary.test->loss);
  // More patience goes on from there.
  options.patience = 0;
  options.epochs = 30;
  resumed = fresh();
  EXPECT_EQ(train(resumed, noise, test_, options).history.size(), 30U);
}

TEST_F(Learning, HoldsOutTheSameShareOfEveryClass) {
  std::vector<int> labels;
  for (int i = 0; i < 100; ++i) labels.push_back(i < 80 ? 0 : i < 98 ? 1 : 2);
  const internal::HeldOut split = internal::hold_out(internal::all_rows(100), labels, 0.25, 1);
  std::vector<int> held(3, 0);
  for (const std::int64_t row : split.validation)
    ++held[static_cast<std::size_t>(labels[static_cast<std::size_t>(row)])];
  EXPECT_EQ(held, (std::vector<int>{20, 5, 1}));
  EXPECT_EQ(split.training.size() + split.validation.size(), 100U);
  EXPECT_NE(split.validation, internal::hold_out(internal::all_rows(100), labels, 0.25, 2).validation);
  labels.back() = 3;
  labels[97] = 2;
  EXPECT_THAT(message_of(ErrorKind::data, [&] { internal::hold_out(internal::all_rows(100), labels, 0.25, 1); }),
              HasSubstr("class 3 has one training row, which cannot both train and validate"));
}

// Dense rows: a checksum that an empty array resets knows the targets only, and so not that the inputs are others.
TEST_F(Learning, ACheckpointBelongsToItsDenseRows) {
  const TrainOptions options{.epochs = 2, .batch = 32, .checkpoint = folder_ / "checkpoint"};
  Mlp network = fresh();
  train(network, train_, test_, options);
  Samples other = train_;
  other.inputs(7, 3) += 1.0;
  network = fresh();
  EXPECT_THAT(message_of(ErrorKind::usage, [&] { train(network, other, test_, options); }),
              HasSubstr("belongs to another run: training data is"));
  Samples other_test = test_;
  other_test.inputs(7, 3) += 1.0;
  EXPECT_THAT(message_of(ErrorKind::usage, [&] { train(network, train_, other_test, options); }),
              HasSubstr("belongs to another run: test data is"));
  EXPECT_THAT(message_of(ErrorKind::usage, [&] { train(network, train_, {}, options); }), HasSubstr("none here"));
}

TEST_F(Learning, ACheckpointBelongsToItsPreparation) {
  Samples numbers = random_regression(80, 20, 1, 1.0, 3);
  PreparedData data = prepared(numbers, {});
  data.target_scale = Vector::Constant(1, 10.0);
  data.target_shift = Vector::Constant(1, 0.0);
  const TrainOptions options{.epochs = 2, .batch = 32, .checkpoint = folder_ / "checkpoint"};
  Mlp network = fresh(1, 1);
  train(network, data, options);
  network = fresh(1, 1);
  PreparedData other = data;
  other.target_scale[0] = 20.0;
  EXPECT_THAT(message_of(ErrorKind::usage, [&] { train(network, other, options); }),
              HasSubstr("target scale is [10] there and [20] here"));
  other = data;
  other.preprocess = Preprocess::standardize;
  EXPECT_THAT(message_of(ErrorKind::usage, [&] { train(network, other, options); }),
              HasSubstr("preparation is none there and standardize here"));
}

TEST_F(Learning, ACheckpointBelongsToItsLossOptimizerAndSchedule) {
  const TrainOptions options{.epochs = 2, .batch = 32, .checkpoint = folder_ / "checkpoint"};
  Mlp network = fresh();
  train(network, train_, test_, options);
  const auto difference = [&](const std::function<void(TrainOptions&)>& change) {
    TrainOptions changed = options;
    change(changed);
    network = fresh();
    return message_of(ErrorKind::usage, [&] { train(network, train_, test_, changed); });
  };
  EXPECT_THAT(difference([](TrainOptions& o) { o.loss = Loss::squared; }),
              HasSubstr("loss is cross-entropy there and squared here"));
  EXPECT_THAT(difference([](TrainOptions& o) { o.label_smoothing = 0.1; }), HasSubstr("label_smoothing is 0 there"));
  EXPECT_THAT(difference([](TrainOptions& o) { o.optimizer.kind = OptimizerKind::adamw; }),
              HasSubstr("optimizer is adam there and adamw here"));
  EXPECT_THAT(difference([](TrainOptions& o) { o.optimizer.weight_decay = 0.1; }),
              HasSubstr("weight_decay is 0 there"));
  EXPECT_THAT(difference([](TrainOptions& o) { o.learning_rate.decay = Decay::cosine; }),
              HasSubstr("learning rate schedule is constant, warm-up 0 there and cosine, warm-up 0, 2 epochs here"));
  EXPECT_THAT(difference([](TrainOptions& o) { o.validation_fraction = 0.2; }),
              HasSubstr("validation_fraction is 0 there and 0.2 here"));
}

TEST_F(Learning, ResumesEveryOptimizerToTheSameBytes) {
  int number = 0;
  for (const OptimizerOptions& optimizer :
       {OptimizerOptions{.kind = OptimizerKind::adamw, .weight_decay = 0.1},
        OptimizerOptions{.kind = OptimizerKind::sgd}, OptimizerOptions{.kind = OptimizerKind::sgd, .momentum = 0.9}}) {
    TrainOptions options{.epochs = 6,
                         .batch = 32,
                         .optimizer = optimizer,
                         .learning_rate = {.base = 0.01, .warmup_epochs = 2, .decay = Decay::cosine}};
    Mlp whole = fresh(), cut = fresh();
    train(whole, train_, test_, options);
    options.checkpoint = folder_ / ("checkpoint" + std::to_string(number++));
    RunContext context;
    context.progress = [](const Progress& p) { return p.fraction < 0.6; };
    message_of(ErrorKind::interrupted, [&] { train(cut, train_, test_, options, context); });
    cut = fresh();
    EXPECT_EQ(train(cut, train_, test_, options).resumed_epochs, 4);
    EXPECT_TRUE(same_weights(whole, cut));
  }
}

TEST_F(Learning, TwoTrainingsDoNotShareACheckpoint) {
  const TrainOptions options{.epochs = 2, .batch = 32, .checkpoint = folder_ / "checkpoint"};
  Mlp network = fresh(), second = fresh();
  RunContext context;
  std::string refusal;
  context.progress = [&](const Progress&) {
    if (refusal.empty()) refusal = message_of(ErrorKind::usage, [&] { train(second, train_, test_, options); });
    return true;
  };
  train(network, train_, test_, options, context);
  EXPECT_THAT(refusal, HasSubstr("is in use by process " + std::to_string(::getpid())));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "checkpoint.lock"));
  EXPECT_EQ(train(second, train_, test_, options).resumed_epochs, 2);
}

TEST_F(Learning, ALockFileLeftByAKilledProcessIsNoLock) {
  { std::ofstream(folder_ / "lock") << "4711"; }
  const internal::FileLock lock(folder_ / "lock", "it");
  EXPECT_THAT(message_of(ErrorKind::usage, [&] { internal::FileLock again(folder_ / "lock", "it"); }),
              HasSubstr("it is in use by process"));
}

TEST_F(Learning, AFileOfAUsersIsNoLock) {
  for (const char* text : {"my notes", "4711 notes", "47114711471147114711471147114711"}) {
    { std::ofstream(folder_ / "checkpoint.lock") << text; }
    Mlp network = fresh();
    const TrainOptions options{.epochs = 1, .batch = 32, .checkpoint = folder_ / "checkpoint"};
    EXPECT_THAT(message_of(ErrorKind::usage, [&] { train(network, train_, test_, options); }),
                HasSubstr((folder_ / "checkpoint.lock").string()));
    EXPECT_EQ(test::read_all(folder_ / "checkpoint.lock"), text);
  }
  std::filesystem::remove(folder_ / "checkpoint.lock");
  std::filesystem::create_directory(folder_ / "checkpoint.lock");
  EXPECT_THAT(message_of(ErrorKind::io, [&] { internal::FileLock lock(folder_ / "checkpoint.lock", "it"); }),
              HasSubstr("checkpoint.lock"));
}

TEST_F(Learning, AClassThatAppearsOnceIsNamed) {
  Samples samples = random_classes(60, 20, 3, 1.0, 1);
  samples.targets.conservativeResize(60, 4);
  samples.targets.col(3).setZero();
  samples.labels[5] = 3;
  PreparedData data = prepared(samples, {}, 60);
  data.output_names = {"a", "b", "c", "typo"};
  Mlp network = fresh();
  EXPECT_THAT(message_of(ErrorKind::data, [&] { train(network, data, {.epochs = 1}); }),
              HasSubstr("random: class 'typo' appears once"));
  data.rows = 1000;  // drawn from more, where there may be others
  EXPECT_EQ(train(network, data, {.epochs = 1}).history.size(), 1U);
}

}  // namespace
}  // namespace priorfit
