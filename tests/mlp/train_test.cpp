// The training loop: what it reports, that it can be cancelled, cut off and continued, and what it refuses.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "mlp/every_activation.hpp"
#include "mlp/random_samples.hpp"
#include "priorfit/error.hpp"
#include "priorfit/training.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::random_classes;
using test::random_regression;

class Training : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("priorfit-train-" + std::to_string(::getpid()) + "-" +
                                                        testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path checkpoint() const { return folder_ / "checkpoint"; }

  const Samples train_ = random_classes(150, 20, 4, 0.3, 1);
  const Samples test_ = random_classes(60, 20, 4, 0.3, 2);
  const NetworkSpec spec_{{30}, {}};
  std::filesystem::path folder_;
};

Mlp fresh(const NetworkSpec& spec, const Samples& samples) {
  return initialise(spec, samples.inputs.cols(), samples.targets.cols(), LayerPrior{2.0, 0.1}, 1);
}

void expect_same(const Mlp& a, const Mlp& b) {
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    EXPECT_EQ(a.layers[l].weights, b.layers[l].weights);
    EXPECT_EQ(a.layers[l].bias, b.layers[l].bias);
  }
}

void expect_same(const TrainingSummary& a, const TrainingSummary& b) {
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t e = 0; e < a.history.size(); ++e) {
    EXPECT_EQ(a.history[e].train_loss, b.history[e].train_loss);
    EXPECT_EQ(a.history[e].train_accuracy, b.history[e].train_accuracy);
    EXPECT_EQ(a.history[e].test->loss, b.history[e].test->loss);
    EXPECT_EQ(a.history[e].test->accuracy, b.history[e].test->accuracy);
  }
  EXPECT_EQ(a.train.loss, b.train.loss);
  EXPECT_EQ(a.test->loss, b.test->loss);
}

std::string usage_message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    return error.what();
  }
  return "no error";
}

TEST_F(Training, LearnsAndReportsWhatItLearnt) {
  Mlp network = fresh(spec_, train_);
  const double before = evaluate(network, test_).accuracy.value();
  const TrainingSummary summary =
      train(network, train_, test_, {.epochs = 60, .batch = 16, .learning_rate = {.base = 0.01}});
  ASSERT_EQ(summary.history.size(), 60U);
  EXPECT_EQ(summary.history.back().epoch, 60);
  EXPECT_LT(summary.history.back().train_loss, 0.3 * summary.history.front().train_loss);
  EXPECT_GT(*summary.train.accuracy, 0.95);
  EXPECT_GT(*summary.test->accuracy, before + 0.2);
  EXPECT_FALSE(summary.train.rmse.has_value());
  const Metrics test = evaluate(network, test_);
  EXPECT_EQ(test.loss, summary.test->loss);
  EXPECT_EQ(test.accuracy, summary.test->accuracy);
  EXPECT_EQ(summary.history.back().test->accuracy, summary.test->accuracy);
  EXPECT_TRUE(summary.sparse);
}

TEST_F(Training, MetricsAreThoseOfTheForwardPass) {
  const Mlp network = fresh(spec_, train_);
  const Matrix outputs = forward(network, test_.inputs);
  EXPECT_NEAR(evaluate(network, test_, {.loss = Loss::squared}).loss, (outputs - test_.targets).array().square().mean(),
              1e-6);
}

TEST_F(Training, RegressionIsReportedInOriginalUnits) {
  const Samples data = random_regression(80, 6, 2, 1.0, 3);
  const Mlp network = fresh(spec_, data);
  const Vector scale = Vector{{10.0, 0.5}};
  const Metrics metrics = evaluate(network, data, {.target_scale = scale});
  const Matrix error = (forward(network, data.inputs) - data.targets) * scale.asDiagonal();
  EXPECT_NEAR(*metrics.rmse, std::sqrt(error.array().square().mean()), 1e-5);
  const Matrix targets = data.targets * scale.asDiagonal();
  const Matrix centred = targets.rowwise() - targets.colwise().mean();
  const Eigen::RowVectorXd ratio = error.colwise().squaredNorm().array() / centred.colwise().squaredNorm().array();
  EXPECT_NEAR(*metrics.r_squared, 1.0 - ratio.mean(), 1e-5);
  EXPECT_FALSE(metrics.accuracy.has_value());
}

// Squares of such scales are none that a double holds.
TEST_F(Training, ErrorsAreRightInAnyUnits) {
  const Samples data = random_regression(80, 6, 2, 1.0, 3);
  const Mlp network = fresh(spec_, data);
  const Vector scale = Vector{{10.0, 0.5}};
  const double usual = *evaluate(network, data, {.target_scale = scale}).rmse;
  for (const double unit : {1e-300, 1e-200, 1e200, 1e300}) {
    EXPECT_NEAR(*evaluate(network, data, {.target_scale = unit * scale}).rmse / unit, usual, 1e-12 * usual) << unit;
  }
}

TEST_F(Training, ThreadsDoNotChangeABit) {
  Mlp one = fresh(spec_, train_), three = one;
  const TrainingSummary a = train(one, train_, test_, {.epochs = 3, .batch = 32}, {.threads = 1});
  const TrainingSummary b = train(three, train_, test_, {.epochs = 3, .batch = 32}, {.threads = 3});
  expect_same(one, three);
  expect_same(a, b);
}

TEST_F(Training, TheSeedShufflesTheBatches) {
  Mlp first = fresh(spec_, train_), second = first;
  train(first, train_, test_, {.epochs = 1, .batch = 16, .seed = 1});
  train(second, train_, test_, {.epochs = 1, .batch = 16, .seed = 2});
  EXPECT_NE(first.layers[0].weights, second.layers[0].weights);
}

TEST_F(Training, TestsOnlyWhenAsked) {
  Mlp network = fresh(spec_, train_);
  const TrainingSummary summary = train(network, train_, test_, {.epochs = 7, .batch = 50, .evaluate_every = 3});
  std::vector<Index> tested;
  for (const EpochRecord& record : summary.history) {
    if (record.test) tested.push_back(record.epoch);
  }
  EXPECT_EQ(tested, (std::vector<Index>{3, 6, 7}));
  const TrainingSummary without = train(network, train_, {}, {.epochs = 2, .batch = 50});
  EXPECT_FALSE(without.test.has_value());
}

// Stops the run when `stop` says so of its stage and fraction.
RunContext until(const std::function<bool(const Progress&)>& stop) {
  RunContext context;
  context.progress = [stop](const Progress& p) { return !stop(p); };
  return context;
}

bool interrupts(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::interrupted;
  }
  return false;
}

TEST_F(Training, ProgressRunsToOneAndMayCancel) {
  Mlp network = fresh(spec_, train_);
  double last = 0;
  std::string stage;
  train(network, train_, test_, {.epochs = 5, .batch = 50}, until([&](const Progress& p) {
          EXPECT_GE(*p.fraction, last);
          last = *p.fraction;
          stage = p.stage;
          return last == 1.0;  // too late to stop anything
        }));
  EXPECT_EQ(last, 1.0);
  EXPECT_NE(stage.find("epoch 5 of 5, loss "), std::string::npos) << stage;
  EXPECT_TRUE(interrupts([&] {
    train(network, train_, test_, {.epochs = 5, .batch = 50},
          until([](const Progress& p) { return p.fraction > 0.3; }));
  }));
}

TEST_F(Training, ContinuesFromItsCheckpointToTheSameBytes) {
  Mlp through = fresh(spec_, train_);
  const TrainingSummary whole = train(through, train_, test_, {.epochs = 9, .batch = 32});
  TrainOptions options{.epochs = 9, .batch = 32, .checkpoint = checkpoint(), .checkpoint_every = 2};
  for (const int stop : {1, 3, 4, 8}) {
    Mlp network = fresh(spec_, train_);
    EXPECT_TRUE(interrupts([&] {
      train(network, train_, test_, options, until([stop](const Progress& p) { return *p.fraction * 9 > stop - 0.5; }));
    }));
  }
  Mlp network = fresh(spec_, train_);
  const TrainingSummary rest = train(network, train_, test_, options);
  EXPECT_EQ(rest.resumed_epochs, 8);
  expect_same(network, through);
  expect_same(rest, whole);
  // Once more: nothing is left to do, and the result is the same.
  network = fresh(spec_, train_);
  expect_same(train(network, train_, test_, options), whole);
  expect_same(network, through);
}

TEST_F(Training, ContinuesFromTheMiddleOfAnEpoch) {
  Mlp through = fresh(spec_, train_);
  const TrainingSummary whole = train(through, train_, test_, {.epochs = 3, .batch = 16});
  const TrainOptions options{.epochs = 3, .batch = 16, .checkpoint = checkpoint()};
  Mlp network = fresh(spec_, train_);
  EXPECT_TRUE(interrupts([&] {
    train(network, train_, test_, options, until([](const Progress& p) {
            // A slow callback is called again after the next batch.
            std::this_thread::sleep_for(std::chrono::milliseconds(110));
            return p.fraction > 1.35 / 3 && p.fraction < 1.9 / 3;  // the fourth of the second epoch's ten batches
          }));
  }));
  network = fresh(spec_, train_);
  const TrainingSummary rest = train(network, train_, test_, options);
  EXPECT_EQ(rest.resumed_epochs, 1);
  expect_same(network, through);
  expect_same(rest, whole);
}

TEST_F(Training, GoesOnWithMoreEpochs) {
  Mlp through = fresh(spec_, train_), network = through;
  train(through, train_, test_, {.epochs = 6, .batch = 32});
  TrainOptions options{.epochs = 4, .batch = 32, .checkpoint = checkpoint()};
  train(network, train_, test_, options);
  network = fresh(spec_, train_);
  options.epochs = 6;
  EXPECT_EQ(train(network, train_, test_, options).resumed_epochs, 4);
  expect_same(network, through);
  options.epochs = 5;
  network = fresh(spec_, train_);
  EXPECT_NE(usage_message([&] { train(network, train_, test_, options); }).find("already holds 6 epochs"),
            std::string::npos);
}

TEST_F(Training, RefusesTheCheckpointOfAnotherRun) {
  TrainOptions options{.epochs = 2, .batch = 32, .checkpoint = checkpoint()};
  Mlp network = fresh(spec_, train_);
  train(network, train_, test_, options);
  const auto difference = [&](const NetworkSpec& spec, const Samples& samples, const TrainOptions& changed) {
    Mlp other = fresh(spec, samples);
    return usage_message([&] { train(other, samples, test_, changed); });
  };
  TrainOptions other_batch = options, other_rate = options, other_seed = options;
  other_batch.batch = 16;
  other_rate.learning_rate.base = 0.01;
  other_seed.seed = 9;
  EXPECT_NE(difference(spec_, train_, other_batch).find("batch is 32 there and 16 here"), std::string::npos);
  EXPECT_NE(difference(spec_, train_, other_rate).find("learning_rate is 0.001 there and 0.01"), std::string::npos);
  EXPECT_NE(difference(spec_, train_, other_seed).find("seed is 1 there and 9 here"), std::string::npos);
  EXPECT_NE(difference({{31}, {}}, train_, options).find("network is 20-30-4 there and 20-31-4"), std::string::npos);
  EXPECT_NE(difference(spec_, random_classes(150, 20, 4, 0.3, 8), options).find("training data"), std::string::npos);
}

TEST_F(Training, RemovesTheUnfinishedCheckpointsOfKilledRuns) {
  const auto unfinished = folder_ / "checkpoint.priorfit-4711-0.tmp",
             another = folder_ / "checkpoint2.priorfit-4711-0.tmp";
  std::ofstream(unfinished) << "half";
  std::ofstream(another) << "of another run";
  Mlp network = fresh(spec_, train_);
  train(network, train_, test_, {.epochs = 1, .batch = 50, .checkpoint = checkpoint()});
  EXPECT_FALSE(std::filesystem::exists(unfinished));
  EXPECT_TRUE(std::filesystem::exists(another));
  EXPECT_TRUE(std::filesystem::exists(checkpoint()));
}

TEST_F(Training, DivergenceIsAResult) {
  const NetworkSpec deep{{30, 30, 30}, {}};
  Mlp network =
      initialise(deep, 20, 4, LayerPrior{1e30, 0.0}, 1);  // each layer multiplies by 1e15: beyond float's range
  const TrainingSummary summary = train(network, train_, {}, {.epochs = 3, .batch = 32});
  EXPECT_TRUE(summary.diverged);
  EXPECT_TRUE(summary.history.empty());
}

// A loss of 1e60 whose gradient is beyond float's range: the step leaves weights that are not numbers, and no batch
// follows to show it.
TEST_F(Training, DivergenceInTheLastStepIsNoticed) {
  for (const Samples& test : {Samples{}, test_}) {
    for (const Index epochs : {1, 2}) {
      Mlp network = initialise(spec_, 20, 4, LayerPrior{1e30, 0.0}, 1);
      const TrainOptions options{.epochs = epochs, .batch = 150, .loss = Loss::squared, .checkpoint = checkpoint()};
      const TrainingSummary summary = train(network, train_, test, options);
      EXPECT_TRUE(summary.diverged) << epochs << " epochs";
      for (const EpochRecord& record : summary.history) EXPECT_TRUE(!record.test || std::isfinite(record.test->loss));
      Mlp again = initialise(spec_, 20, 4, LayerPrior{1e30, 0.0}, 1);
      EXPECT_TRUE(train(again, train_, test, options).diverged) << "on resuming " << epochs << " epochs";
      std::filesystem::remove(checkpoint());
    }
  }
}

class DeepTraining : public testing::TestWithParam<Activation> {};

INSTANTIATE_TEST_SUITE_P(Every, DeepTraining, testing::ValuesIn(test::every_activation()), test::activation_label);

TEST_P(DeepTraining, AHundredLayersGiveNumbersOrSayThatTheyDiverged) {
  const Samples samples = random_classes(40, 10, 3, 1.0, 1);
  for (const double weight_variance : {0.1, 2.0, 1e4}) {
    Mlp network = initialise(NetworkSpec::uniform(100, 12, GetParam()), 10, 3, LayerPrior{weight_variance, 0.05}, 1);
    const TrainingSummary summary = train(network, samples, samples, {.epochs = 2, .batch = 20}, {.threads = 1});
    if (summary.diverged) {
      EXPECT_GT(weight_variance, 2.0) << "nothing grows so fast";
      continue;
    }
    EXPECT_EQ(summary.history.size(), 2U);
    EXPECT_TRUE(std::isfinite(summary.train.loss) && std::isfinite(summary.test->loss));
    for (const DenseLayer& layer : network.layers) EXPECT_TRUE(layer.weights.allFinite() && layer.bias.allFinite());
  }
}

TEST_F(Training, TwentyTanhLayersLearn) {
  const Samples samples = random_classes(150, 10, 3, 1.0, 1);
  Mlp network = initialise(NetworkSpec::uniform(20, 40, Activation::parse("tanh")), 10, 3, LayerPrior{1.76, 0.05}, 1);
  const TrainingSummary summary = train(network, samples, {}, {.epochs = 60, .batch = 25}, {.threads = 1});
  EXPECT_LT(summary.history.back().train_loss, 0.3 * summary.history.front().train_loss);
  EXPECT_GT(*summary.train.accuracy, 0.9);
}

TEST_F(Training, RefusesBadOptionsByName) {
  const auto message = [&](const TrainOptions& options) {
    Mlp network = fresh(spec_, train_);
    return usage_message([&] { train(network, train_, test_, options); });
  };
  EXPECT_EQ(message({.epochs = 0}), "epochs is 0: it must be at least 1");
  EXPECT_EQ(message({.batch = -3}), "batch is -3: it must be at least 1");
  EXPECT_EQ(message({.optimizer = {.beta1 = 1}}), "beta1 is 1: it must be at least 0 and less than 1");
  EXPECT_EQ(message({.learning_rate = {.base = 0}}),
            "learning_rate is 0: it must be finite and greater than 0, such as 0.001");
  EXPECT_EQ(message({.optimizer = {.weight_decay = -0.1}}),
            "weight_decay is -0.1: it must be finite and at least 0 (0: none)");
  EXPECT_EQ(message({.optimizer = {.momentum = 0.9}}),
            "momentum is 0.9: it must be 0 unless the optimizer is sgd: adam and adamw have beta1 instead");
  EXPECT_EQ(message({.optimizer = {.kind = OptimizerKind::sgd, .nesterov = true}}),
            "momentum is 0: it must be greater than 0 where nesterov is set, such as 0.9");
  EXPECT_EQ(message({.epochs = 5, .learning_rate = {.warmup_epochs = 5}}),
            "warmup_epochs is 5: it must be at least 0 and below the number of epochs");
  EXPECT_EQ(message({.validation_fraction = 1}), "validation_fraction is 1: it must be at least 0 and less than 1");
  EXPECT_EQ(
      message({.validation_fraction = 0.001}),
      "validation_fraction is 0.001: of 150 rows that holds out none; choose a larger share, or 0 to train without "
      "validation");
  EXPECT_EQ(message({.loss = Loss::squared, .label_smoothing = 0.1}),
            "label_smoothing is 0.1: it must be 0 unless the loss is cross-entropy");
  EXPECT_EQ(message({.checkpoint_every = 0}), "checkpoint_every is 0: it must be at least 1");
  EXPECT_EQ(message({.target_scale = Vector::Ones(2)}), "target_scale has 2 entries: the network has 4 outputs");
}

TEST_F(Training, RefusesSamplesThatDoNotFit) {
  const auto message = [&](const Samples& samples) {
    Mlp network = fresh(spec_, train_);
    return usage_message([&] { train(network, samples, {}, {.epochs = 1}); });
  };
  EXPECT_EQ(message({}), "train samples are empty");
  Samples changed = train_;
  changed.inputs.conservativeResize(150, 19);
  EXPECT_EQ(message(changed), "train inputs have 19 features: the network reads 20");
  changed = train_;
  changed.labels[3] = 4;
  EXPECT_EQ(message(changed), "train has label 4 at row 3: it must be at least 0 and below 4, the network's outputs");
  changed = train_;
  changed.inputs(2, 2) = NAN;
  EXPECT_EQ(message(changed), "train inputs hold a value that is not finite");
}

}  // namespace
}  // namespace priorfit
