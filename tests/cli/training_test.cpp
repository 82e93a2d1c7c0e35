// The losses, optimisers and safeguards of priorfit train, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/process.hpp"
#include "priorfit/weights.hpp"

namespace priorfit::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words quick = {"train",    "digits", "--samples", "300", "--width", "40",
                     "--epochs", "6",      "--batch",   "32",  "--quiet"};

// Two classes by the sign of a sum; `shift` moves the inputs but not the classes.
std::string two_classes(int rows, double shift = 0.0) {
  std::string text = "a,b,class\n";
  for (int i = 0; i < rows; ++i) {
    const double a = std::sin(i * 1.7), b = std::cos(i * 2.3);
    text +=
        std::to_string(a + (i == 3 ? shift : 0.0)) + "," + std::to_string(b) + "," + (a + b > 0 ? "yes" : "no") + "\n";
  }
  return text;
}

std::string wave(int rows, double scale = 1.0) {
  std::string text = "x,y\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i * 0.1) + "," + std::to_string(scale * std::sin(i * 0.1)) + "\n";
  }
  return text;
}

nlohmann::json trained(const Words& words) {
  const Outcome outcome = priorfit(with(words, {"--format", "json"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
}

/// Lines that go on are indented.
std::string unwrapped(std::string text) {
  for (std::size_t at; (at = text.find("\n    ")) != std::string::npos;) text.replace(at, 5, " ");
  return text;
}

TEST(TrainLoss, EveryDefaultThatShapesTheResultIsPrinted) {
  const Outcome outcome = priorfit(quick);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(unwrapped(outcome.out),
              HasSubstr("Adam: learning rate 0.001, batch 32, 6 epochs, seed 1, weight decay 0; "
                        "cross-entropy; no validation rows"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("NLL"), HasSubstr("balanced"), Not(HasSubstr("top 5"))));
  const nlohmann::json json = trained(quick);
  EXPECT_EQ(json.at("options").at("loss"), "cross-entropy");
  EXPECT_EQ(json.at("options").at("optimizer"), "adam");
  EXPECT_EQ(json.at("options").at("learning_rate"), 0.001);
  EXPECT_EQ(json.at("options").at("learning_rate_decay"), "constant");
  for (const char* part : {"loss", "negative_log_likelihood", "accuracy", "balanced_accuracy"}) {
    EXPECT_TRUE(json.at("test").at(part).is_number()) << part;
  }
}

TEST(TrainLoss, FlagsReachTheTraining) {
  const Outcome outcome = priorfit(
      with(quick, {"--loss", "squared", "--optimizer", "sgd", "--momentum", "0.9", "--nesterov", "--weight-decay",
                   "0.001", "--learning-rate", "0.2", "--warmup-epochs", "2", "--learning-rate-decay", "cosine"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(
      unwrapped(outcome.out),
      HasSubstr("SGD with Nesterov's momentum 0.9: learning rate 0.2 after 2 epochs of warm-up with cosine decay, "
                "batch 32, 6 epochs, seed 1, weight decay 0.001; mean squared error"));
  const nlohmann::json smoothed = trained(with(quick, {"--label-smoothing", "0.1", "--optimizer", "adamw"}));
  EXPECT_GT(smoothed.at("test").at("loss"), smoothed.at("test").at("negative_log_likelihood").get<double>());
}

TEST(TrainLoss, ValidationKeepsTheBestEpoch) {
  Words words = with(quick, {"--learning-rate", "0.02", "--validation-fraction", "0.2", "--patience", "3"});
  *(std::find(words.begin(), words.end(), "--epochs") + 1) = "100";
  const nlohmann::json json = trained(words);
  EXPECT_EQ(json.at("train").at("samples").get<int>() + json.at("validation").at("samples").get<int>(), 300);
  ASSERT_TRUE(json.at("stopped_early").get<bool>());
  EXPECT_EQ(json.at("history").size(), json.at("best_epoch").get<std::size_t>() + 3);
  const Outcome table = priorfit(words);
  EXPECT_THAT(unwrapped(table.out),
              AllOf(HasSubstr("rows held out to validate, best weights kept, patience 3 epochs"),
                    HasSubstr("which validate best; training stopped after"), HasSubstr("\nvalidation")));
}

TEST(TrainLoss, TwoClassesMayHaveOneLogit) {
  const Scratch scratch;
  const std::string table = scratch.file("two.csv", two_classes(200));
  const Words words = {"train",           table,  "--width", "30",         "--epochs", "60",
                       "--learning-rate", "0.01", "--quiet", "--one-logit"};
  const nlohmann::json json = trained(with(words, {"--out", scratch.path("run")}));
  EXPECT_EQ(json.at("network").at("outputs"), 1);
  EXPECT_GT(json.at("train").at("accuracy"), 0.95);
  EXPECT_EQ(json.at("answers").at("confusion").size(), 2U);
  EXPECT_EQ(load_weights(scratch.path("run/weights.safetensors")).network.outputs(), 1);
  EXPECT_THAT(priorfit(with(words, {"--loss", "squared"})).err, HasSubstr("--one-logit needs --loss cross-entropy"));
  EXPECT_THAT(priorfit(with(quick, {"--one-logit"})).err,
              HasSubstr("--one-logit is for two classes: digits has 10 classes"));
}

TEST(TrainLoss, BadInputIsNamedWithItsRemedy) {
  const Scratch scratch;
  const auto refusal = [](int code, const Words& words) {
    const Outcome outcome = priorfit(words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(
      refusal(2, {"train", scratch.file("wave.csv", wave(60)), "--task", "regression", "--loss", "cross-entropy"}),
      HasSubstr("--loss is cross-entropy, which needs classes: these targets are numbers; use --loss squared, or read "
                "them as classes, --task classification"));
  EXPECT_THAT(refusal(2, with(quick, {"--learning-rate", "0"})),
              HasSubstr("--learning-rate is 0: it must be finite and greater than 0, such as 0.001"));
  EXPECT_THAT(refusal(2, with(quick, {"--weight-decay", "-0.1"})),
              HasSubstr("--weight-decay is -0.1: it must be finite and at least 0"));
  EXPECT_THAT(refusal(2, with(quick, {"--loss", "cross-entrop"})),
              HasSubstr("--loss 'cross-entrop' is unknown; did you mean 'cross-entropy'?"));
  EXPECT_THAT(refusal(2, {"train", "digits", "--batch", "0"}),
              HasSubstr("priorfit: --batch is 0: it must be at least 1"));
  EXPECT_THAT(refusal(2, {"train", "digits", "--epochs", "0"}),
              HasSubstr("priorfit: --epochs is 0: it must be at least 1"));
  EXPECT_THAT(refusal(2, with(quick, {"--momentum", "1.5", "--optimizer", "sgd"})), HasSubstr("--momentum is 1.5:"));
  EXPECT_THAT(refusal(2, with(quick, {"--patience", "-1"})), HasSubstr("--patience is -1:"));
  EXPECT_THAT(refusal(2, with(quick, {"--optimizer", "adan"})),
              HasSubstr("--optimizer 'adan' is unknown; did you mean 'adam'?"));
  EXPECT_THAT(refusal(2, with(quick, {"--momentum", "0.9"})), HasSubstr("0 unless the optimizer is sgd"));
  const std::string typo = scratch.file("typo.csv", two_classes(60) + "0.5,0.5,yess\n");
  EXPECT_THAT(refusal(3, {"train", typo, "--test-fraction", "0"}),
              HasSubstr("class 'yess' appears once, too rarely to be learnt and tested: correct its name"));
  EXPECT_THAT(refusal(3, {"experiment", "--data", typo, "--sizes", "20", "--epochs", "1", "--seeds", "1", "--out",
                          scratch.path("sweep")}),
              HasSubstr("class 'yess' appears once"));
}

// Dense tables: their inputs once were no part of what a checkpoint knew of its data.
TEST(TrainCheckpoint, NeverContinuesOnOtherData) {
  const Scratch scratch;
  const std::string table = scratch.file("two.csv", two_classes(80));
  const Words words = {"train",        table,  "--width", "10",    "--epochs",         "3",
                       "--preprocess", "none", "--quiet", "--out", scratch.path("run")};
  ASSERT_EQ(priorfit(words).code, 0);
  EXPECT_EQ(priorfit(words).code, 0);
  scratch.file("two.csv", two_classes(80, 1.5));
  const Outcome other = priorfit(words);
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.out, "");
  EXPECT_THAT(other.err, HasSubstr("belongs to another run: t"));
  scratch.file("two.csv", two_classes(80));
  EXPECT_EQ(priorfit(words).code, 0);
  EXPECT_THAT(priorfit(with(words, {"--loss", "squared"})).err,
              HasSubstr("loss is cross-entropy there and squared here"));
  Words standardized = words;
  standardized[7] = "standardize";
  EXPECT_THAT(priorfit(standardized).err, HasSubstr("preparation is none there and standardize here"));
}

// Ten times the target, standardized, is the same target; its errors are not.
TEST(TrainCheckpoint, NeverReportsInOtherUnits) {
  const Scratch scratch;
  const std::string table = scratch.file("wave.csv", wave(80));
  const Words words = {"train",    table, "--task",  "regression", "--width",          "10",
                       "--epochs", "3",   "--quiet", "--out",      scratch.path("run")};
  ASSERT_EQ(priorfit(words).code, 0);
  scratch.file("wave.csv", wave(80, 10.0));
  const Outcome other = priorfit(words);
  EXPECT_EQ(other.code, 2) << other.out;
  EXPECT_THAT(other.err, HasSubstr("belongs to another run"));
}

TEST(TrainCheckpoint, TheSecondOfTwoInAFolderIsToldSo) {
  const Scratch scratch;
  const Words words = {PRIORFIT_BINARY, "train",     "digits", "--width", "300",   "--epochs",
                       "100000",        "--threads", "1",      "--quiet", "--out", scratch.path("run")};
  const pid_t first = spawn(words, scratch.path("out"), scratch.path("err"));
  for (int i = 0; i < 10'000 && read_all(scratch.path("run/checkpoint.lock")).empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const Outcome second = run_program(words);
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr("is in use by process " + std::to_string(first)));
  kill(first, SIGTERM);
  EXPECT_EQ(wait_for(first), 130);
  EXPECT_FALSE(std::filesystem::exists(scratch.path("run/checkpoint.lock")));
}

TEST(TrainPage, AFolderOfATrainingHasAPage) {
  const Scratch scratch;
  const Words classes = with(quick, {"--out", scratch.path("classes")});
  ASSERT_EQ(priorfit(classes).code, 0);
  const Outcome page = priorfit({"report", scratch.path("classes")});
  if (page.err.find("built without the report page") != std::string::npos) GTEST_SKIP() << page.err;
  EXPECT_EQ(page.code, 0) << page.err;
  const std::string html = read_all(scratch.path("classes/report.html"));
  EXPECT_THAT(html, AllOf(HasSubstr("priorfit.training/1"), HasSubstr("\"confusion\":[["),
                          HasSubstr("\"command\":\"priorfit train digits")));
  const Words numbers = {"train",
                         scratch.file("wave.csv", wave(200)),
                         "--task",
                         "regression",
                         "--width",
                         "20",
                         "--epochs",
                         "3",
                         "--quiet",
                         "--out",
                         scratch.path("numbers"),
                         "--report"};
  ASSERT_EQ(priorfit(numbers).code, 0);
  EXPECT_THAT(read_all(scratch.path("numbers/report.html")), HasSubstr("\"predictions\":[["));
}

TEST(TrainPage, ATrainingThatWasKilledHasAPageToo) {
  const Scratch scratch;
  const std::string folder = scratch.path("run");
  const Words words = {"train",    "digits", "--samples",          "300", "--width", "30",    "--batch", "32",
                       "--epochs", "100000", "--checkpoint-every", "5",   "--quiet", "--out", folder};
  const pid_t child = spawn(with({PRIORFIT_BINARY}, words), scratch.path("out"), scratch.path("err"));
  const auto has_history = [&] {
    return read_all(folder + "/unfinished.json").find("train_loss") != std::string::npos;
  };
  for (int i = 0; i < 2'000 && !has_history(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(child, SIGKILL);
  wait_for(child);
  const Outcome page = priorfit({"report", folder});
  if (page.err.find("built without the report page") != std::string::npos) GTEST_SKIP() << page.err;
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(read_all(folder + "/report.html"),
              AllOf(HasSubstr("The training has not ended: "), HasSubstr("\"command\":\"priorfit train digits"),
                    HasSubstr("\"train_loss\":"), Not(HasSubstr("\"answers\":"))));
}

TEST(TrainPage, ATrainingThatDivergedSaysWhere) {
  const Scratch scratch;
  const Words words = with(quick, {"--optimizer", "sgd", "--learning-rate", "1e30", "--out", scratch.path("run")});
  const Outcome outcome = priorfit(words);
  EXPECT_EQ(outcome.code, 4);
  const Outcome page = priorfit({"report", scratch.path("run")});
  if (page.err.find("built without the report page") != std::string::npos) GTEST_SKIP() << page.err;
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(read_all(scratch.path("run/report.html")),
              AllOf(HasSubstr("The loss stopped being finite in epoch 1 of 6: "), HasSubstr("to explode")));
}

TEST(TrainPage, WhatIsUnfinishedGoesWhenItEnds) {
  const Scratch scratch;
  ASSERT_EQ(priorfit(with(quick, {"--out", scratch.path("run")})).code, 0);
  EXPECT_TRUE(std::filesystem::exists(scratch.path("run/training.json")));
  EXPECT_FALSE(std::filesystem::exists(scratch.path("run/unfinished.json")));
}

}  // namespace
}  // namespace priorfit::cli
