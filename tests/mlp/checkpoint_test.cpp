// Checkpoint files: exact round trip; damage of any kind is noticed.
#include "mlp/checkpoint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "mlp/engine.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"

namespace priorfit::mlp {
namespace {

class CheckpointFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("priorfit-checkpoint-" + std::to_string(::getpid()) + "-" +
                                                      testing::UnitTest::GetInstance()->current_test_info()->name());
    save_checkpoint(path_, identity_, position_, layers());
    bytes_ = read_file(path_, 1 << 20);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::vector<LayerState<float>> layers(LayerPrior prior = {2.0, 1.0}) const {
    return Engine<float>(initialise({{5, 4}, {}}, 6, 3, prior, 1), {}).layers();
  }

  ErrorKind load_error(const std::string& bytes) const {
    write_file(path_, bytes);
    auto target = layers();
    try {
      load_checkpoint(path_, identity_, target);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path_.string()), std::string::npos) << error.what();
      return error.kind();
    }
    return ErrorKind::internal;
  }

  const RunIdentity identity_ = {{"network", "6-5-4-3"}, {"seed", "1"}};
  const RunPosition position_ = {
      2, 3,  0.1,
      7, 45, {{1, 1.0 / 3, 0.25, std::nullopt}, {2, 1e-17, std::nullopt, Metrics{10, 0.7, std::nullopt, 0.3, -0.1}}}};
  std::filesystem::path path_;
  std::string bytes_;
};

TEST_F(CheckpointFile, ReadsBackExactly) {
  auto found = layers({1.0, 0.0});
  const RunPosition position = load_checkpoint(path_, identity_, found);
  EXPECT_EQ(position.epoch, 2);
  EXPECT_EQ(position.batch, 3);
  EXPECT_EQ(position.squared_error, 0.1);
  EXPECT_EQ(position.correct, 7);
  EXPECT_EQ(position.steps, 45U);
  ASSERT_EQ(position.history.size(), 2U);
  EXPECT_EQ(position.history[0].train_loss, 1.0 / 3);
  EXPECT_EQ(position.history[0].train_accuracy, 0.25);
  EXPECT_EQ(position.history[1].train_loss, 1e-17);
  EXPECT_EQ(position.history[1].test->rmse, 0.3);
  EXPECT_EQ(position.history[1].test->r_squared, -0.1);
  EXPECT_FALSE(position.history[1].test->accuracy.has_value());
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
    load_checkpoint(path_, {{"network", "6-5-4-3"}, {"seed", "2"}}, target);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("seed is 1 there and 2 here"), std::string::npos);
  }
}

// Whoever can write a file can write its checksum: places in memory are checked all the same.
TEST_F(CheckpointFile, PlacesOutsideOfTheRunAreRefused) {
  for (RunPosition hostile :
       {RunPosition{2, -3, 0.1, 7, 45, position_.history}, RunPosition{-2, 3, 0.1, 7, 45, {}},
        RunPosition{9, 3, 0.1, 7, 45, position_.history}, RunPosition{2, 3, 0.1, -1, 45, position_.history},
        RunPosition{2, 3, 0.1, 7, UINT64_MAX, position_.history}}) {
    save_checkpoint(path_, identity_, hostile, layers());
    EXPECT_EQ(load_error(read_file(path_, 1 << 20)), ErrorKind::data);
  }
}

TEST_F(CheckpointFile, ALossThatOverflowedReadsBackAsNan) {
  RunPosition position = position_;
  position.history[1].test->loss = std::numeric_limits<double>::infinity();
  save_checkpoint(path_, identity_, position, layers());
  auto found = layers();
  EXPECT_TRUE(std::isnan(load_checkpoint(path_, identity_, found).history[1].test->loss));
}

}  // namespace
}  // namespace priorfit::mlp
