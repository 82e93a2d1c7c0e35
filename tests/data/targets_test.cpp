#include "data/targets.hpp"

#include "tables.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::expect_error;
using test::Scratch;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A table of one feature whose target in row i is target(i).
template <typename Target>
Dataset load_rows(int rows, Target target, std::optional<Task> task = {}) {
  std::string text = "x,y\n";
  for (int i = 0; i < rows; ++i) text += std::to_string(i) + "," + target(i) + "\n";
  return test::load_text(text, {}, task);
}

std::string integer(int value) { return std::to_string(value); }

TEST(Task, IsClassificationForText) {
  const Dataset data = load_rows(6, [](int i) { return std::string(i % 2 == 0 ? "no" : "yes"); });
  EXPECT_EQ(data.task, Task::classification);
  EXPECT_THAT(data.output_names, ElementsAre("no", "yes"));
  EXPECT_THAT(data.train.labels, ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_EQ(data.train.targets.size(), 0);  // prepare() encodes them
  EXPECT_TRUE(data.is_table);
  EXPECT_THAT(data.notes, Contains(HasSubstr("target is 'y', the last")));
}

TEST(Task, IsClassificationForFewIntegers) {
  const Dataset data = load_rows(30, [](int i) { return integer(10 * (i % 3)); });
  EXPECT_EQ(data.task, Task::classification);
  EXPECT_THAT(data.output_names, ElementsAre("0", "10", "20"));
  EXPECT_EQ(data.train.labels[5], 2);
  EXPECT_THAT(
      data.notes,
      Contains("target 'y' holds 3 whole numbers from 0 to 20: classification (task = regression changes that)"));
}

TEST(Task, IsRegressionOtherwise) {
  const auto few_rows = [](int i) { return integer(i % 3); };
  EXPECT_EQ(load_rows(15, few_rows).task, Task::classification);
  EXPECT_EQ(load_rows(14, few_rows).task, Task::regression);
  EXPECT_EQ(load_rows(200, [](int i) { return integer(i % 20); }).task, Task::classification);
  EXPECT_EQ(load_rows(210, [](int i) { return integer(3 * (i % 21)); }).task, Task::regression);
  EXPECT_EQ(load_rows(30, [](int i) { return integer(i % 3) + ".5"; }).task, Task::regression);
}

TEST(Task, IsClassificationForASmallDenseRange) {
  const Dataset letters = load_rows(260, [](int i) { return integer(i % 26); });
  EXPECT_EQ(letters.task, Task::classification);
  EXPECT_THAT(letters.notes, Contains(HasSubstr("26 whole numbers from 0 to 25: classification")));
  // Frequencies that rise and fall are those of a count.
  std::vector<double> rings;
  for (int value = 1; value < 30; ++value) {
    for (int i = 0; i < 40 * std::min(value, 30 - value); ++i) rings.push_back(value);
  }
  const TaskDecision counts = decide_task(rings, false);
  EXPECT_EQ(counts.task, Task::regression);
  EXPECT_EQ(counts.reason, "29 whole numbers from 1 to 29 that look like counts");
  EXPECT_EQ(load_rows(2000, [](int i) { return integer(i % 200); }).task, Task::regression);
  std::vector<double> labels;
  for (int i = 0; i < 2000; ++i) labels.push_back(i % 200);
  EXPECT_EQ(decide_task(labels, true).task, Task::classification);
  EXPECT_EQ(decide_task(labels, false).task, Task::regression);
}

TEST(Task, CanBeGiven) {
  const auto classes = [](int i) { return integer(i % 3); };
  const Dataset regression = load_rows(30, classes, Task::regression);
  EXPECT_EQ(regression.task, Task::regression);
  EXPECT_TRUE(regression.train.labels.empty());
  EXPECT_EQ(regression.train.targets(2, 0), 2.0);
  EXPECT_THAT(regression.output_names, ElementsAre("y"));
  const Dataset fractions = load_rows(
      4, [](int i) { return integer(i % 2) + ".5"; }, Task::classification);
  EXPECT_THAT(fractions.output_names, ElementsAre("0.5", "1.5"));
}

TEST(Task, TakesASlipInNumbersForNoClass) {
  const auto slip = [](int i) { return i == 7 ? std::string("3.l") : integer(i); };
  expect_error(
      ErrorKind::data, [&] { load_rows(20, slip); }, "t.csv, line 9, column 2 ('y')", "'3.l'", "19 of 20",
      "task classification");
  expect_error(
      ErrorKind::data, [&] { load_rows(20, slip, Task::regression); }, "line 9", "'3.l'", "regression needs numbers");
  EXPECT_EQ(load_rows(20, slip, Task::classification).output_names.size(), 20U);
}

TEST(Task, TakesIdentifiersForNoClasses) {
  expect_error(
      ErrorKind::data, [] { load_rows(50, [](int i) { return integer(i) + "id"; }); }, "50 distinct values",
      "another target");
}

TEST(EncodeLabels, GivesTheRightClassWhatTheOthersLose) {
  const Matrix targets = encode_labels({2, 0}, 4);
  EXPECT_EQ(targets, (Matrix(2, 4) << -0.25, -0.25, 0.75, -0.25, 0.75, -0.25, -0.25, -0.25).finished());
  expect_error(
      ErrorKind::usage,
      [] {
        encode_labels({0, 4}, 4);
      },
      "labels[1] is 4");
}

TEST(Names, OfTasksAndPreprocessingRoundTrip) {
  for (const char* name : {"classification", "regression"}) EXPECT_EQ(to_string(parse_task(name)), name);
  for (const char* name : {"unit", "standardize", "center", "none"}) EXPECT_EQ(to_string(parse_preprocess(name)), name);
  expect_error(
      ErrorKind::usage, [] { parse_task("regresion"); }, "did you mean 'regression'?");
  expect_error(
      ErrorKind::usage, [] { parse_preprocess("standardise"); }, "did you mean 'standardize'?");
}

}  // namespace
}  // namespace priorfit
