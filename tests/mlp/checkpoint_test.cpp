// Checkpoint files: exact round trip; damage of any kind is noticed.
#include "mlp/checkpoint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "mlp/engine.hpp"
#include "priorfit/error.hpp"
#include "support/checksum.hpp"
#include "support/file_io.hpp"

namespace priorfit::internal {
namespace {

class CheckpointFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("priorfit-checkpoint-" + std::to_string(::getpid()) + "-" +
                                                      testing::UnitTest::GetInstance()->current_test_info()->name());
    save_checkpoint(path_, identity_, position_, layers(), best());
    bytes_ = read_file(path_, 1 << 20);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::vector<LayerState<float>> layers(LayerPrior prior = {2.0, 1.0}) const {
    return Engine<float>(initialise({{5, 4}, {}}, 6, 3, prior, 1), {}).layers();
  }

  BestParameters best() const { return parameter_values(layers({3.0, 0.5})); }

  ErrorKind load_error(const std::string& bytes) {
    write_file(path_, bytes);
    auto target = layers();
    try {
      load_checkpoint(path_, identity_, target, found_best_);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path_.string()), std::string::npos) << error.what();
      return error.kind();
    }
    return ErrorKind::internal;
  }

  const RunIdentity identity_ = {{"network", "6-5-4-3"}, {"seed", "1"}};
  const RunPosition position_ = {
      .epoch = 2,
      .batch = 3,
      .loss_sum = 0.1,
      .correct = 7,
      .steps = 45,
      .history = {{1, 1.0 / 3, 0.25, {}, Metrics{.samples = 5, .loss = 0.2, .negative_log_likelihood = 0.1}},
                  {2, 1e-17, {}, Metrics{.samples = 10, .loss = 0.7, .rmse = 0.3, .r_squared = -0.1}, {}}},
      .best_epoch = 1,
      .vanished = LayerFault{2, 1}};
  BestParameters found_best_;
  std::filesystem::path path_;
  std::string bytes_;
};

TEST_F(CheckpointFile, ReadsBackExactly) {
  auto found = layers({1.0, 0.0});
  const RunPosition position = load_checkpoint(path_, identity_, found, found_best_);
  EXPECT_EQ(position.epoch, 2);
  EXPECT_EQ(position.batch, 3);
  EXPECT_EQ(position.loss_sum, 0.1);
  EXPECT_EQ(position.correct, 7);
  EXPECT_EQ(position.steps, 45U);
  ASSERT_EQ(position.history.size(), 2U);
  EXPECT_EQ(position.history[0].train_loss, 1.0 / 3);
  EXPECT_EQ(position.history[0].train_accuracy, 0.25);
  EXPECT_EQ(position.history[1].train_loss, 1e-17);
  EXPECT_EQ(position.history[1].test->rmse, 0.3);
  EXPECT_EQ(position.history[1].test->r_squared, -0.1);
  EXPECT_FALSE(position.history[1].test->accuracy.has_value());
  EXPECT_EQ(position.history[0].validation->negative_log_likelihood, 0.1);
  EXPECT_FALSE(position.history[1].validation.has_value());
  EXPECT_EQ(position.best_epoch, 1);
  EXPECT_EQ(position.vanished->layer, 2);
  EXPECT_EQ(found_best_, best());
  const auto expected = layers();
  for (std::size_t l = 0; l < expected.size(); ++l) {
    EXPECT_EQ(found[l].weights.values, expected[l].weights.values);
    EXPECT_EQ(found[l].bias.values, expected[l].bias.values);
  }
}

TEST_F(CheckpointFile, EveryTruncationIsNoticed) {
  for (std::size_t size = 0; size < bytes_.size(); size += 7) {
    EXPECT_EQ(load_error(bytes_.substr(0, size)), ErrorKind::data) << "cut to " << size;
  }
}

TEST_F(CheckpointFile, EveryFlippedBitIsNoticed) {
  for (std::size_t at = 0; at < bytes_.size(); at += 5) {
    std::string changed = bytes_;
    changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
    EXPECT_EQ(load_error(changed), ErrorKind::data) << "byte " << at;
  }
}

TEST_F(CheckpointFile, BytesBehindTheEndAreNoticed) { EXPECT_EQ(load_error(bytes_ + "x"), ErrorKind::data); }

TEST_F(CheckpointFile, AnotherRunIsNamed) {
  auto target = layers();
  try {
    load_checkpoint(path_, {{"network", "6-5-4-3"}, {"seed", "2"}}, target, found_best_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("seed is 1 there and 2 here"), std::string::npos);
  }
}

// Whoever can write a file can write its checksum: places in memory are checked all the same.
TEST_F(CheckpointFile, PlacesOutsideOfTheRunAreRefused) {
  const auto refuses = [&](const std::function<void(RunPosition&)>& change) {
    RunPosition hostile = position_;
    change(hostile);
    save_checkpoint(path_, identity_, hostile, layers(), best());
    EXPECT_EQ(load_error(read_file(path_, 1 << 20)), ErrorKind::data);
  };
  refuses([](RunPosition& p) { p.batch = -3; });
  refuses([](RunPosition& p) { p.epoch = -2, p.history.clear(); });
  refuses([](RunPosition& p) { p.epoch = 9; });
  refuses([](RunPosition& p) { p.correct = -1; });
  refuses([](RunPosition& p) { p.steps = UINT64_MAX; });
  refuses([](RunPosition& p) { p.best_epoch = 0; });
  refuses([](RunPosition& p) { p.best_epoch = 3; });
  refuses([](RunPosition& p) { p.best_epoch = 2; });  // which was not validated
}

// Without momentum gradient descent keeps no moments: the arrays of the file are those there are.
TEST_F(CheckpointFile, HoldsOnlyTheMomentsThereAre) {
  EngineOptions plain;
  plain.optimizer.kind = OptimizerKind::sgd;
  Engine<float> engine(initialise({{5, 4}, {}}, 6, 3, LayerPrior{2.0, 1.0}, 1), plain);
  RunPosition position = position_;
  position.best_epoch.reset();
  save_checkpoint(path_, identity_, position, engine.layers(), {});
  EXPECT_LT(std::filesystem::file_size(path_), bytes_.size() / 2);
  auto found = engine.layers();
  found[0].weights.values.assign(30, 0.0F);
  load_checkpoint(path_, identity_, found, found_best_);
  EXPECT_EQ(found[0].weights.values, engine.layers()[0].weights.values);
  EXPECT_TRUE(found_best_.empty());
}

TEST_F(CheckpointFile, OfAnEarlierVersionSaysSo) {
  std::string bytes = bytes_;
  bytes[15] = '1';
  bytes.resize(bytes.size() - 4);
  const std::uint32_t sum = internal::add_to_checksum(0, bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  EXPECT_EQ(load_error(bytes), ErrorKind::usage);
}

TEST_F(CheckpointFile, ALossThatOverflowedReadsBackAsNan) {
  RunPosition position = position_;
  position.history[1].test->loss = std::numeric_limits<double>::infinity();
  save_checkpoint(path_, identity_, position, layers(), best());
  auto found = layers();
  EXPECT_TRUE(std::isnan(load_checkpoint(path_, identity_, found, found_best_).history[1].test->loss));
}

}  // namespace
}  // namespace priorfit::internal
