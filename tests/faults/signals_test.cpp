// Ctrl-C and SIGTERM at random moments: exit code 130 soon after, nothing half-written, and the same command goes on.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "faults/faults.hpp"

namespace priorfit::cli {
namespace {

using std::chrono::milliseconds;

/// Runs the program and signals it a random while after it has said its first word. Returns its exit code.
int run_and_signal(const Scratch& scratch, Words words, int signal, std::mt19937& random, int most_milliseconds) {
  words.insert(words.begin(), PRIORFIT_BINARY);
  const std::string err = scratch.path("err");
  std::filesystem::remove(err);
  const pid_t child = spawn(words, scratch.path("out.txt"), err);
  for (int i = 0; i < 5000 && (!std::filesystem::exists(err) || std::filesystem::file_size(err) == 0); ++i) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  std::this_thread::sleep_for(milliseconds(static_cast<int>(random() % static_cast<unsigned>(most_milliseconds))));
  kill(child, signal);
  return wait_for(child);
}

TEST(Signals, EndRecommendWith130AndLeaveItsFiles) {
  const Scratch scratch;
  const Words words = {"recommend", "digits", "--criterion", "evidence",
                       "--samples", "500",    "--out",       scratch.path("r")};
  Words quick = words;
  quick[5] = "60";
  ASSERT_EQ(priorfit(quick).code, 0);
  const auto before = contents(scratch.path("r"));
  std::mt19937 random(5);
  int interrupted = 0;
  for (int i = 0; i < 10; ++i) {
    const int code = run_and_signal(scratch, words, i % 2 == 0 ? SIGINT : SIGTERM, random, 400);
    EXPECT_TRUE(code == 130 || code == 0) << code << read_all(scratch.path("err"));
    if (code == 0) {  // it was done before
      for (const auto& [name, bytes] : contents(scratch.path("r"))) EXPECT_FALSE(name.ends_with(".tmp"));
      ASSERT_EQ(priorfit(quick).code, 0);
      continue;
    }
    ++interrupted;
    for (const auto& [name, bytes] : contents(scratch.path("r"))) {
      if (name.ends_with(".json")) {
        EXPECT_TRUE(nlohmann::json::accept(bytes)) << name;
      } else {
        EXPECT_FALSE(name.ends_with(".tmp")) << name;
      }
    }
  }
  EXPECT_GE(interrupted, 1);
}

TEST(Signals, EndTrainingWith130AndItGoesOn) {
  const Scratch scratch;
  const auto words = [&](const std::string& folder) {
    return Words{"train",
                 "digits",
                 "--samples",
                 "400",
                 "--width",
                 "30",
                 "--epochs",
                 "1500",
                 "--batch",
                 "16",
                 "--test-every",
                 "50",
                 "--checkpoint-every",
                 "5",
                 "--threads",
                 "1",
                 "--out",
                 scratch.path(folder)};
  };
  ASSERT_EQ(priorfit(words("whole")).code, 0);
  std::mt19937 random(6);
  int interrupted = 0;
  for (int i = 0; i < 8; ++i) {
    const int code = run_and_signal(scratch, words("cut"), i % 2 == 0 ? SIGINT : SIGTERM, random, 150);
    EXPECT_TRUE(code == 130 || code == 0) << code << read_all(scratch.path("err"));
    interrupted += code == 130 ? 1 : 0;
    if (code == 0) std::filesystem::remove_all(scratch.path("cut"));  // it was done before
  }
  EXPECT_GE(interrupted, 1);
  ASSERT_EQ(priorfit(words("cut")).code, 0);
  for (const char* name : {"/weights.safetensors", "/history.csv", "/checkpoint"}) {
    EXPECT_EQ(read_all(scratch.path(std::string("cut") + name)), read_all(scratch.path(std::string("whole") + name)))
        << name;
  }
}

TEST(Signals, EndAnExperimentWith130AndItGoesOn) {
  const Scratch scratch;
  const auto words = [&](const std::string& folder) {
    return Words{"experiment",
                 "--data",
                 "digits",
                 "--sizes",
                 "60,120",
                 "--width",
                 "16",
                 "--epochs",
                 "30",
                 "--batch",
                 "20",
                 "--weight-variances",
                 "0.5,3",
                 "--bias-variances",
                 "0",
                 "--checkpoint-every",
                 "1",
                 "--threads",
                 "1",
                 "--out",
                 scratch.path(folder)};
  };
  ASSERT_EQ(priorfit(words("whole")).code, 0);
  std::mt19937 random(7);
  int interrupted = 0;
  for (int i = 0; i < 8; ++i) {
    const int code = run_and_signal(scratch, words("cut"), i % 2 == 0 ? SIGTERM : SIGINT, random, 200);
    EXPECT_TRUE(code == 130 || code == 0) << code << read_all(scratch.path("err"));
    interrupted += code == 130 ? 1 : 0;
  }
  EXPECT_GE(interrupted, 1);
  ASSERT_EQ(priorfit(words("cut")).code, 0);
  EXPECT_EQ(read_all(scratch.path("cut/experiment.json")), read_all(scratch.path("whole/experiment.json")));
}

}  // namespace
}  // namespace priorfit::cli
