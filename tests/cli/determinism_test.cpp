// The same seed gives the same bytes: run after run, and for any number of threads where the docs promise it.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/process.hpp"
#include "cli/results.hpp"

namespace priorfit::cli {
namespace {

using Words = std::vector<std::string>;

nlohmann::json result(Words words, const char* threads) {
  words.insert(words.end(), {"--seed", "5", "--format", "json", "--quiet", "--threads", threads});
  const Outcome outcome = priorfit(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? comparable(outcome.out) : nlohmann::json();
}

struct Case {
  const char* name;
  Words words;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// Below 400 samples OpenBLAS works on one thread, whatever there are.
const Case for_any_threads[] = {
    {"Recommend", {"recommend", "digits", "--criterion", "evidence", "--samples", "150"}},
    {"RecommendTabulated",
     {"recommend", "digits", "--criterion", "evidence", "--samples", "90", "--activation", "tanh", "--depth", "3"}},
    {"RecommendOnAGrid", {"recommend", "digits", "--samples", "390", "--grid", "paper", "--noise", "0.01"}},
    {"Predict", {"predict", "digits", "--samples", "300", "--weight-variance", "2", "--noise", "0.01"}},
    {"Train", {"train", "digits", "--width", "100", "--epochs", "2"}},
    {"TrainDeep", {"train", "digits", "--width", "60", "--depth", "3", "--activation", "gelu", "--epochs", "2"}},
    {"Simulate", {"simulate", "--seeds", "2"}},
};

// Above, a factorisation is cut up by the number of threads.
const Case for_equal_threads[] = {
    {"RecommendOnAGrid", {"recommend", "digits", "--samples", "700", "--grid", "paper", "--noise", "0.01"}},
    {"Recommend", {"recommend", "digits", "--criterion", "evidence", "--samples", "500"}},
    {"Predict", {"predict", "digits", "--samples", "700", "--weight-variance", "2", "--noise", "0.01"}},
};

std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

class SameForAnyThreads : public testing::TestWithParam<Case> {};

TEST_P(SameForAnyThreads, AndRunAfterRun) {
  const Words& words = GetParam().words;
  const nlohmann::json one = result(words, "1");
  EXPECT_EQ(result(words, "1"), one);
  EXPECT_EQ(result(words, "2"), one);
}

INSTANTIATE_TEST_SUITE_P(Determinism, SameForAnyThreads, testing::ValuesIn(for_any_threads), name_of);

class SameForEqualThreads : public testing::TestWithParam<Case> {};

TEST_P(SameForEqualThreads, RunAfterRun) {
  for (const char* threads : {"1", "2"}) {
    EXPECT_EQ(result(GetParam().words, threads), result(GetParam().words, threads)) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Determinism, SameForEqualThreads, testing::ValuesIn(for_equal_threads), name_of);

TEST(Determinism, EvidenceAgreesBetweenThreadCounts) {
  const Words words = {"recommend", "digits", "--samples", "700", "--grid", "paper", "--noise", "0.01"};
  const nlohmann::json one = result(words, "1"), two = result(words, "2");
  ASSERT_EQ(one.at("grid").size(), two.at("grid").size());
  for (std::size_t i = 0; i < one.at("grid").size(); ++i) {
    const double a = one.at("grid")[i].at("log_marginal_likelihood"),
                 b = two.at("grid")[i].at("log_marginal_likelihood");
    EXPECT_LT(std::abs(a - b), 1e-11 * std::abs(a));
  }
}

TEST(Determinism, FilesHaveTheSameBytes) {
  const Scratch scratch;
  const auto bytes = [&](const char* threads) {
    const std::string folder = scratch.path("t");
    std::filesystem::remove_all(folder);
    EXPECT_EQ(priorfit({"train", "digits", "--width", "100", "--epochs", "2", "--quiet", "--threads", threads, "--out",
                        folder})
                  .code,
              0);
    EXPECT_EQ(priorfit({"init", "--layers", "64,100,10", "--out", scratch.path("w.npz")}).code, 0);
    const std::string experiment = scratch.path("e"), map = scratch.path("m");
    std::filesystem::remove_all(experiment);
    EXPECT_EQ(
        priorfit({"experiment", "--data", "digits", "--sizes", "60", "--width", "12", "--epochs", "2", "--quiet",
                  "--weight-variances", "1,2", "--bias-variances", "0", "--threads", threads, "--out", experiment})
            .code,
        0);
    EXPECT_EQ(priorfit({"phase", "--activation", "tanh", "--threads", threads, "--out", map}).code, 0);
    std::string judged = read_all(experiment + "/experiment.json");  // but for the threads, which are recorded
    const std::string recorded = std::string("\"threads\": [\n    ") + threads + "\n  ],\n";
    const std::size_t place = judged.find(recorded);
    EXPECT_NE(place, std::string::npos);
    if (place != std::string::npos) judged.erase(place, recorded.size());
    return read_all(folder + "/weights.safetensors") + read_all(folder + "/history.csv") +
           read_all(folder + "/checkpoint") + read_all(scratch.path("w.npz")) + judged + read_all(map + "/phase.csv");
  };
  const std::string one = bytes("1");
  EXPECT_GT(one.size(), 10'000U);
  EXPECT_EQ(bytes("1"), one);
  EXPECT_EQ(bytes("2"), one);
}

}  // namespace
}  // namespace priorfit::cli
