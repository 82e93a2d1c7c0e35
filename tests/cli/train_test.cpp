// priorfit train as a user meets it: results, files, errors, and a run killed over and over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "cli/process.hpp"
#include "priorfit/weights.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<std::string> quick = {"train",    "digits", "--samples", "300", "--width",         "40",
                                        "--epochs", "15",     "--batch",   "32",  "--learning-rate", "0.01",
                                        "--quiet"};

std::string wave_table(int rows, double shift) {
  std::string text = "x,z,y\n";
  for (int i = 0; i < rows; ++i) {
    const double x = i * 0.05 + shift;
    text += std::to_string(x) + "," + std::to_string(x * x) + "," + std::to_string(100 + 50 * std::sin(x)) + "\n";
  }
  return text;
}

TEST(Train, ReportsAndWritesFiles) {
  const Scratch scratch;
  const Outcome outcome = priorfit(with(quick, {"--out", scratch.path("run")}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"network: 64-40-10, relu; initial σ_w² = 2", "300 of 1438 rows (seed 1)", "tested on 359",
                           "learning rate 0.01, batch 32, 15 epochs", "train", "test", "accuracy", "samples/s"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  const auto json = nlohmann::json::parse(read_all(scratch.path("run/training.json")));
  EXPECT_EQ(json.at("schema"), "priorfit.training/1");
  EXPECT_GT(json.at("train").at("accuracy"), 0.9);
  EXPECT_GT(json.at("test").at("accuracy"), 0.8);
  EXPECT_EQ(json.at("history").size(), 15U);
  EXPECT_TRUE(json.contains("seconds_per_epoch"));
  const std::string history = read_all(scratch.path("run/history.csv"));
  EXPECT_THAT(history, StartsWith("epoch,train_loss,train_accuracy,test_loss,test_accuracy"));
  EXPECT_EQ(std::count(history.begin(), history.end(), '\n'), 16);
  const LoadedWeights weights = load_weights(scratch.path("run/weights.safetensors"));
  EXPECT_EQ(weights.network.spec.hidden_widths, std::vector<Index>{40});
}

TEST(Train, ThreeTanhLayersLearnTheDigits) {
  const Scratch scratch;
  const Outcome outcome = priorfit(
      with(quick, {"--activation", "tanh", "--depth", "3", "--weight-variance", "1.5", "--out", scratch.path("run")}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("network: 64-40-40-40-10, tanh"));
  const auto json = nlohmann::json::parse(read_all(scratch.path("run/training.json")));
  EXPECT_EQ(json.at("network").at("activation"), "tanh");
  EXPECT_GT(json.at("train").at("accuracy"), 0.9);
  EXPECT_GT(json.at("test").at("accuracy"), 0.8);
  EXPECT_EQ(load_weights(scratch.path("run/weights.safetensors")).network.spec.activation.name(), "tanh");
  const Outcome other = priorfit(
      with(quick, {"--activation", "erf", "--depth", "3", "--weight-variance", "1.5", "--out", scratch.path("run")}));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("activation is tanh there and erf here"));
}

TEST(Train, AHundredLayersTrainOrSayInWhichEpochTheyDiverged) {
  const std::vector<std::string> deep = {"train", "digits",   "--samples", "200",     "--width",  "20",  "--depth",
                                         "100",   "--epochs", "2",         "--quiet", "--format", "json"};
  for (const char* activation : {"tanh", "gelu", "relu"}) {
    const Outcome outcome = priorfit(with(deep, {"--activation", activation}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(nlohmann::json::parse(outcome.out).at("test").at("loss").is_number()) << activation;
  }
  const Outcome diverged = priorfit(with(deep, {"--activation", "leaky_relu:0.2", "--weight-variance", "20"}));
  EXPECT_EQ(diverged.code, 4);
  EXPECT_EQ(diverged.out, "");
  EXPECT_THAT(diverged.err, HasSubstr("the loss stopped being finite in epoch 1 of 2: from these variances the signal "
                                      "explodes, to "));
  EXPECT_THAT(diverged.err, HasSubstr("; choose a smaller --weight-variance"));
  const Outcome fast = priorfit({"train", "digits", "--samples", "200", "--width", "20", "--learning-rate", "1e30"});
  EXPECT_EQ(fast.code, 4);
  EXPECT_THAT(fast.err, HasSubstr("in epoch 1 of 250: try a smaller --learning-rate"));
}

TEST(Train, CountsManyEqualWidths) {
  const Outcome outcome =
      priorfit({"train", "digits", "--samples", "50", "--depth", "5", "--width", "40", "--epochs", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("network: 64-(5 × 40)-10, relu"));
}

TEST(Train, FormatsAndThreadsAgree) {
  const Outcome one = priorfit(with(quick, {"--format", "csv", "--threads", "1"}));
  const Outcome two = priorfit(with(quick, {"--format", "csv", "--threads", "2"}));
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out, two.out);
  EXPECT_EQ(nlohmann::json::parse(priorfit(with(quick, {"--format", "json"})).out).at("schema"), "priorfit.training/1");
  EXPECT_THAT(priorfit(with(quick, {"--format", "markdown"})).out,
              HasSubstr("|  | samples | loss | NLL | accuracy | balanced |"));
}

TEST(Train, RegressionIsInTheTargetsUnits) {
  const Scratch scratch;
  const std::vector<std::string> words = {"train",       scratch.file("train.csv", wave_table(120, 0)),
                                          "--test-data", scratch.file("test.csv", wave_table(40, 0.02)),
                                          "--task",      "regression",
                                          "--width",     "60",
                                          "--epochs",    "300",
                                          "--batch",     "16",
                                          "--quiet",     "--format",
                                          "json"};
  const Outcome outcome = priorfit(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("test").at("samples"), 40);
  EXPECT_GT(json.at("test").at("r_squared"), 0.9);
  const double rmse = json.at("test").at("rmse");  // the targets have standard deviation 35 or so
  EXPECT_GT(rmse, 0.1);
  EXPECT_LT(rmse, 12.0);
  EXPECT_GT(rmse * rmse, 10 * json.at("test").at("loss").get<double>());
}

TEST(Train, TestFilesMustFit) {
  const Scratch scratch;
  const std::string train = scratch.file("train.csv", "a,b,class\n1,2,x\n3,1,y\n2,4,x\n4,3,y\n");
  const auto refusal = [&](const std::string& test) {
    return priorfit({"train", train, "--test-data", scratch.file("test.csv", test), "--epochs", "1", "--quiet"});
  };
  const Outcome unknown = refusal("a,b,class\n1,2,x\n2,2,z\n");
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("has class 'z'"));
  // Columns are found by name: others are passed over, one that is gone counts as missing, but some must be there.
  EXPECT_EQ(refusal("a,c,b,class\n1,2,3,x\n2,3,3,y\n").code, 0);
  EXPECT_EQ(refusal("a,c,class\n1,2,x\n2,3,y\n").code, 0);
  EXPECT_THAT(refusal("p,q,class\n1,2,x\n2,3,y\n").err, HasSubstr("none of the 2 columns is there"));
  // Classes that come in another order are matched by name.
  const Outcome fits = refusal("a,b,class\n1,2,y\n2,2,x\n");
  EXPECT_EQ(fits.code, 0) << fits.err;
  EXPECT_EQ(priorfit({"train", "mnist", "--test-data", train, "--epochs", "1", "--quiet"}).code == 0, false);
}

TEST(Train, RefusesWithAReason) {
  const Scratch scratch;
  const auto refusal = [](const std::vector<std::string>& more) { return priorfit(with(quick, more)); };
  const Outcome rate = priorfit({"train", "digits", "--learning-rate", "-1"});
  EXPECT_EQ(rate.code, 2);
  EXPECT_THAT(rate.err, HasSubstr("--learning-rate is -1"));
  EXPECT_THAT(refusal({"--checkpoint-every", "0"}).err, HasSubstr("--checkpoint-every is 0"));
  EXPECT_THAT(refusal({"--weight-varianc", "1"}).err, HasSubstr("did you mean '--weight-variance'?"));
  EXPECT_EQ(refusal({"--weight-variance", "1e38", "--loss", "squared"}).code, 4);
  ASSERT_EQ(refusal({"--out", scratch.path("run")}).code, 0);
  const Outcome other = refusal({"--out", scratch.path("run"), "--bias-variance", "1"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("belongs to another run: initial parameters"));
  std::string bytes = read_all(scratch.path("run/checkpoint"));
  bytes[bytes.size() / 2] ^= 1;
  scratch.file("run/checkpoint", bytes);
  const Outcome damaged = refusal({"--out", scratch.path("run")});
  EXPECT_EQ(damaged.code, 3);
  EXPECT_THAT(damaged.err, HasSubstr("is damaged"));
}

// A run of some half a second that writes a checkpoint every other epoch.
class KilledTraining : public testing::Test {
 protected:
  std::vector<std::string> words(const std::string& folder) const {
    return {PRIORFIT_BINARY,
            "train",
            "digits",
            "--samples",
            "400",
            "--width",
            "30",
            "--epochs",
            "500",
            "--batch",
            "16",
            "--test-every",
            "100",
            "--checkpoint-every",
            "2",
            "--threads",
            "1",
            "--out",
            scratch_.path(folder)};
  }
  void run(const std::string& folder) const {
    const Outcome outcome = run_program(words(folder));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  int run_and_signal(const std::string& folder, int milliseconds, int signal) const {
    const pid_t child = spawn(words(folder), scratch_.path("out"), scratch_.path("err"));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, signal);
    return wait_for(child);
  }
  int stop_midway(const std::string& folder, int signal) const;
  void expect_same(const std::string& folder) const {
    for (const char* name : {"/weights.safetensors", "/history.csv", "/checkpoint"}) {
      EXPECT_EQ(read_all(scratch_.path(folder + name)), read_all(scratch_.path(std::string("whole") + name))) << name;
    }
  }
  const Scratch scratch_;
};

TEST_F(KilledTraining, EndsWithTheSameBytesAfterTwentyKills) {
  run("whole");
  std::mt19937 random(1);
  int kills = 0;
  for (int attempt = 0; kills < 20 && attempt < 400; ++attempt) {
    if (run_and_signal("cut", static_cast<int>(random() % 120), SIGKILL) == 128 + SIGKILL) {
      ++kills;
    } else {
      expect_same("cut");
      std::filesystem::remove_all(scratch_.path("cut"));
    }
  }
  EXPECT_EQ(kills, 20);
  // What a kill at such a moment leaves: a file that the run to the end may have no need to write again.
  std::filesystem::create_directories(scratch_.path("cut"));
  std::ofstream(scratch_.path("cut/unfinished.json.priorfit-1-0.tmp")) << "half";
  run("cut");
  expect_same("cut");
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.path("cut"))) {
    EXPECT_THAT(entry.path().filename().string(), testing::Not(testing::MatchesRegex("checkpoint.+|.*tmp")));
  }
}

// Signals the run once it has written its first checkpoint; tries again if it was over by then.
int KilledTraining::stop_midway(const std::string& folder, int signal) const {
  for (int attempt = 0; attempt < 20; ++attempt) {
    std::filesystem::remove_all(scratch_.path(folder));
    const pid_t child = spawn(words(folder), scratch_.path("out"), scratch_.path("err"));
    for (int i = 0; i < 10'000 && !std::filesystem::exists(scratch_.path(folder + "/checkpoint")); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(child, signal);
    if (const int code = wait_for(child); code != 0) return code;
  }
  return 0;
}

TEST_F(KilledTraining, StopsCleanlyWhenAskedAndContinues) {
  run("whole");
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EQ(stop_midway("asked", signal), 130);
    EXPECT_THAT(read_all(scratch_.path("err")), HasSubstr("the same command continues"));
    EXPECT_TRUE(std::filesystem::exists(scratch_.path("asked/checkpoint")));
    EXPECT_FALSE(std::filesystem::exists(scratch_.path("asked/weights.safetensors")));
    run("asked");
    EXPECT_GT(nlohmann::json::parse(read_all(scratch_.path("asked/training.json"))).at("resumed_epochs"), 0);
    expect_same("asked");
  }
}

}  // namespace
}  // namespace priorfit::cli
