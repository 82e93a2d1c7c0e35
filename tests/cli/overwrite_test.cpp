// Nothing is overwritten silently.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/process.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;

std::string table() {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i % 7) + "," + std::to_string(i * i % 11) + "," +
            std::to_string(0.5 * (i % 7) + 0.1 * (i % 3)) + "\n";
  }
  return text;
}

const std::vector<std::string> phase = {"phase", "--weight-variances", "1", "--bias-variances", "0", "--quiet",
                                        "--out"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Overwrite, AnInputIsNeverReplaced) {
  const Scratch scratch;
  const std::string data = scratch.file("t.csv", table());
  for (const bool force : {false, true}) {
    std::vector<std::string> words = {"predict", data,    "--weight-variance",    "2", "--noise",
                                      "0.1",     "--out", scratch.path("./t.csv")};
    if (force) words.push_back("--force");
    const Outcome outcome = priorfit(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("is read by this command"));
    EXPECT_EQ(read_all(data), table());
  }
  // A table that bears the name of a result.
  const std::string inside = scratch.file("predictions.csv", table());
  EXPECT_EQ(priorfit({"predict", inside, "--weight-variance", "2", "--noise", "0.1", "--out", scratch.path("")}).code,
            2);
  EXPECT_EQ(read_all(inside), table());
}

TEST(Overwrite, AnotherFileAsksForForce) {
  const Scratch scratch;
  const std::string data = scratch.file("t.csv", table()), other = scratch.file("mine.csv", "my,own\n1,2\n");
  const std::vector<std::string> words = {"predict", data, "--weight-variance", "2", "--noise", "0.1", "--quiet",
                                          "--out",   other};
  const Outcome refused = priorfit(words);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  EXPECT_EQ(read_all(other), "my,own\n1,2\n");
  EXPECT_EQ(priorfit(with(words, {"--force"})).code, 0);
  EXPECT_THAT(read_all(other), HasSubstr("mean_y"));
  EXPECT_EQ(priorfit(words).code, 0) << "its own result is replaced";
  const std::string notes = scratch.file("w.npz", "notes");
  EXPECT_EQ(priorfit({"init", "--layers", "2,3,1", "--out", notes}).code, 2);
  EXPECT_EQ(priorfit({"init", "--layers", "2,3,1", "--out", notes, "--force"}).code, 0);
  EXPECT_EQ(priorfit({"init", "--layers", "4,3,1", "--out", notes}).code, 0);
  const std::string kernel = scratch.path("k.npy");
  EXPECT_EQ(priorfit({"kernel", data, "--out", kernel, "--quiet"}).code, 0);
  EXPECT_EQ(priorfit({"kernel", data, "--out", kernel, "--quiet"}).code, 0);
  scratch.file("k.npy", "something else");
  EXPECT_EQ(priorfit({"kernel", data, "--out", kernel, "--quiet"}).code, 2);
}

TEST(Overwrite, AFolderOfAnotherCommandAsksForForceAndIsThenReplacedAsAWhole) {
  const Scratch scratch;
  const std::string folder = scratch.path("r");
  ASSERT_EQ(priorfit(with(phase, {folder})).code, 0);
  EXPECT_EQ(priorfit(with(phase, {folder})).code, 0) << "its own results are replaced";
  const std::vector<std::string> simulate = {"simulate", "--seeds", "1", "--quiet", "--out", folder};
  const Outcome refused = priorfit(simulate);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("holds results of `phase` (phase.json)"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/phase.json"));
  EXPECT_EQ(priorfit(with(simulate, {"--force"})).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder + "/simulation.json"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/phase.json"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/phase.csv"));
}

}  // namespace
}  // namespace priorfit::cli
