// priorfit data as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "helpers.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;

nlohmann::json data_json(std::vector<std::string> words) {
  words.insert(words.begin(), "data");
  words.insert(words.end(), {"--format", "json"});
  const Outcome outcome = priorfit(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(Data, ListsTheNamesAndWhereTheyAre) {
  const Outcome outcome = priorfit({"data"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* name : {"digits", "mnist", "fashion-mnist", "cifar10", "built in"}) {
    EXPECT_THAT(outcome.out, HasSubstr(name));
  }
  const auto json = data_json({});
  EXPECT_EQ(json.at("schema"), "priorfit.datasets/1");
  ASSERT_EQ(json.at("datasets").size(), 4u);
  EXPECT_EQ(json.at("datasets").at(0).at("name"), "digits");
  EXPECT_EQ(json.at("datasets").at(0).at("present"), true);
}

TEST(Data, DescribesDigits) {
  const auto json = data_json({"digits"});
  EXPECT_EQ(json.at("schema"), "priorfit.dataset/1");
  EXPECT_EQ(json.at("rows"), 1797);
  EXPECT_EQ(json.at("features"), 64);
  EXPECT_EQ(json.at("task"), "classification");
  EXPECT_EQ(json.at("pixel_maximum"), 16.0);
  EXPECT_EQ(json.at("inputs").at("maximum"), 16.0);
  EXPECT_NEAR(json.at("inputs").at("nonzero_fraction"), 0.5107, 1e-3);  // numpy.mean(load_digits().data != 0)
  EXPECT_EQ(json.at("classes").at(3).at("name"), "3");
  EXPECT_EQ(json.at("classes").at(3).at("count"), 183);
  EXPECT_THAT(priorfit({"data", "digits"}).out, HasSubstr("rows      1797"));
}

TEST(Data, DescribesATable) {
  const Scratch scratch;
  const std::string table = scratch.file("t.csv", "height,weight,price\n1,2,0.5\n3,1,0.25\n2,7,0.1\n");
  const auto json = data_json({table, "--target", "weight"});
  EXPECT_EQ(json.at("task"), "regression");
  EXPECT_EQ(json.at("targets").at(0).at("name"), "weight");
  EXPECT_EQ(json.at("targets").at(0).at("maximum"), 7.0);
  EXPECT_EQ(json.at("features"), 2);
  const Outcome outcome = priorfit({"data", table});
  EXPECT_THAT(outcome.out, HasSubstr("price"));
  EXPECT_THAT(outcome.out, HasSubstr("price     0.1      0.5"));
  EXPECT_THAT(outcome.out, HasSubstr("note: target is 'price', the last"));
}

TEST(Data, ShowsTheColumnsAndHowTheTableIsWritten) {
  const Scratch scratch;
  const std::string table = scratch.file("t.csv", "size;colour;y\n1,5;red;2,5\n;blue;3,5\n4,5;red;4,5\n2,5;blue;1,5\n");
  const auto json = data_json({table});
  EXPECT_EQ(json.at("dialect"), "separator ';', quote \", decimal mark ',', header");
  EXPECT_EQ(json.at("columns").at(0).at("missing"), 1);
  EXPECT_EQ(json.at("columns").at(1).at("kind"), "category");
  EXPECT_EQ(json.at("columns").at(1).at("becomes"), "2 features, one per level");
  EXPECT_EQ(json.at("features"), 4);
  EXPECT_THAT(priorfit({"data", table}).out, HasSubstr("as it is, 2.5 and an indicator where missing"));
  EXPECT_EQ(data_json({table, "--ignore", "size"}).at("features"), 2);
}

TEST(Prepare, AppliesTheRecipeOfAResult) {
  const Scratch scratch;
  std::string rows = "x,c,y\n";
  for (int i = 0; i < 40; ++i)
    rows += std::to_string(i * 7 % 11) + ".5," + (i % 3 == 0 ? "a" : "b") + "," + std::to_string(i % 5) + ".5\n";
  const std::string table = scratch.file("t.csv", rows);
  const Outcome made = priorfit({"recommend", table, "--criterion", "evidence", "--out", scratch.path("r"), "--quiet"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Outcome outcome = priorfit({"prepare", table, "--from", scratch.path("r"), "--out", scratch.path("X.npz")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("40 rows × 3 features, and y"));
  EXPECT_THAT(priorfit({"prepare", "--from", scratch.path("r"), "--python"}).out, HasSubstr("import pandas as pd"));
  EXPECT_EQ(priorfit({"prepare", table, "--from", scratch.path("r")}).code, 2);
}

TEST(Data, ReadsATableFromAPipe) {
  const Outcome dash = run_program({"sh", "-c", "printf '1,2\\n3,4.5\\n' | " PRIORFIT_BINARY " data -"});
  EXPECT_EQ(dash.code, 0) << dash.err;
  EXPECT_THAT(dash.out, HasSubstr("rows        2"));
  const Outcome outcome = run_program({"sh", "-c", "printf '1,2\\n3,4.5\\n' | " PRIORFIT_BINARY " data /dev/stdin"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("rows        2"));
}

TEST(Data, RefusesWhatItDoesNotKnow) {
  const Outcome name = priorfit({"data", "mnsit"});
  EXPECT_EQ(name.code, 5);
  EXPECT_EQ(name.out, "");
  EXPECT_THAT(name.err, HasSubstr("did you mean 'mnist'?"));
  const Outcome format = priorfit({"data", "digits", "--format", "jsn"});
  EXPECT_EQ(format.code, 2);
  EXPECT_THAT(format.err, HasSubstr("did you mean 'json'?"));
  const Outcome task = priorfit({"data", "digits", "--task", "regresion"});
  EXPECT_EQ(task.code, 2);
  EXPECT_THAT(task.err, HasSubstr("did you mean 'regression'?"));
}

TEST(Prepare, TakesTheRecipeOfEveryResult) {
  const test::Scratch scratch;
  const std::string table = std::string(PRIORFIT_TESTS) + "/data/fixtures/uci/abalone.csv";
  const std::vector<std::vector<std::string>> commands = {
      {"recommend", table, "--samples", "40"},
      {"predict", table, "--test-fraction", "0.2"},
      {"train", table, "--epochs", "1", "--width", "4"},
      {"experiment", "--data", table, "--sizes", "20,30", "--epochs", "1", "--seeds", "1"}};
  for (std::vector<std::string> words : commands) {
    const std::string out = scratch.path(words[0]), rows = scratch.path(words[0] + ".npz");
    words.insert(words.end(), {"--quiet", "--out", out});
    const Outcome made = priorfit(words);
    ASSERT_EQ(made.code, 0) << made.err;
    const Outcome outcome = priorfit({"prepare", table, "--from", out, "--out", rows});
    ASSERT_EQ(outcome.code, 0) << words[0] << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("60 rows × 10 features, and y")) << words[0];
    EXPECT_THAT(priorfit({"prepare", "--from", out, "--python"}).out, HasSubstr("\"M\"")) << words[0];
  }
}

}  // namespace
}  // namespace priorfit::cli
