#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "data/columns.hpp"
#include "helpers.hpp"
#include "priorfit/dataset.hpp"
#include "support/random.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::expect_error;
using ::testing::Contains;
using ::testing::HasSubstr;

/// Row i has inputs i, 2i, … and target i², so that rows can be told apart.
Dataset regression(Index rows, Index features = 3) {
  Dataset data;
  data.name = "made";
  data.output_names = {"y"};
  data.train.inputs.resize(rows, features);
  data.train.targets.resize(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    for (Index c = 0; c < features; ++c) data.train.inputs(i, c) = double(i * (c + 1));
    data.train.targets(i, 0) = double(i * i);
  }
  return data;
}

Dataset classification(Index rows, int classes) {
  Dataset data = regression(rows);
  data.task = Task::classification;
  data.output_names.clear();
  for (int c = 0; c < classes; ++c) data.output_names.push_back("class" + std::to_string(c));
  for (Index i = 0; i < rows; ++i) data.train.labels.push_back(int(i) % classes);
  data.train.targets = encode_labels(data.train.labels, classes);
  return data;
}

std::vector<double> first_column(const Samples& samples) {
  return {samples.inputs.col(0).begin(), samples.inputs.col(0).end()};
}

TEST(Prepare, KeepsAllRowsInOrderWithoutACopy) {
  Dataset data = regression(50);
  const double* memory = data.train.inputs.data();
  const Matrix inputs = data.train.inputs;
  const PreparedData prepared = prepare(std::move(data), {});
  EXPECT_EQ(prepared.train.inputs, inputs);
  EXPECT_EQ(prepared.train.inputs.data(), memory);
  EXPECT_EQ(prepared.rows, 50);
  EXPECT_EQ(prepared.preprocess, Preprocess::none);
  // Numbers to be predicted are standardized all the same.
  EXPECT_NEAR(prepared.train.targets.mean(), 0.0, 1e-12);
  EXPECT_NEAR(prepared.train.targets.squaredNorm() / 50, 1.0, 1e-12);
  EXPECT_NEAR(prepared.target_shift[0] + prepared.target_scale[0] * prepared.train.targets(7, 0), 49.0, 1e-9);
}

TEST(Prepare, DrawsTheSameNestedRowsForASeed) {
  const auto draw = [](Index samples, std::uint64_t seed) {
    return first_column(prepare(regression(50), {.samples = samples, .seed = seed}).train);
  };
  const auto twenty = draw(20, 5);
  const auto ten = draw(10, 5);
  EXPECT_EQ(std::vector(twenty.begin(), twenty.begin() + 10), ten);
  EXPECT_EQ(std::set(twenty.begin(), twenty.end()).size(), 20U);
  EXPECT_NE(draw(10, 6), ten);
}

TEST(Prepare, KeepsInputsTargetsAndLabelsOfARowTogether) {
  const PreparedData values = prepare(regression(50), {.samples = 20});
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(values.target_shift[0] + values.target_scale[0] * values.train.targets(i, 0),
                values.train.inputs(i, 0) * values.train.inputs(i, 0), 1e-9);
  }
  const PreparedData classes = prepare(classification(50, 4), {.samples = 20, .test_fraction = 0.3});
  for (const Samples* part : {&classes.train, &classes.test}) {
    for (Index i = 0; i < part->size(); ++i) EXPECT_EQ(part->labels[i], int(part->inputs(i, 0)) % 4);
    EXPECT_EQ(part->targets, encode_labels(part->labels, 4));
  }
}

RC_GTEST_PROP(Prepare, SplitsRowsWithoutLosingAny, (std::uint64_t seed)) {
  const auto rows = *rc::gen::inRange<Index>(10, 100);
  const double fraction = *rc::gen::inRange(1, 60) / 100.0;
  const PreparedData data = prepare(regression(rows), {.seed = seed, .test_fraction = fraction});
  auto all = first_column(data.train);
  RC_ASSERT(std::is_sorted(all.begin(), all.end()));
  const auto test = first_column(data.test);
  RC_ASSERT(Index(test.size()) == std::max<Index>(1, std::llround(fraction * double(rows))));
  RC_ASSERT(data.rows == data.train.size());
  all.insert(all.end(), test.begin(), test.end());
  RC_ASSERT(std::set(all.begin(), all.end()).size() == std::size_t(rows));
}

TEST(Prepare, HoldsOutTheSameRowsWhateverIsDrawn) {
  const PreparedData few = prepare(regression(60), {.samples = 5, .test_fraction = 0.25});
  const PreparedData many = prepare(regression(60), {.samples = 40, .test_fraction = 0.25});
  EXPECT_EQ(few.test.inputs, many.test.inputs);
  EXPECT_EQ(few.rows, 45);
}

TEST(Prepare, TakesItsRowsFromTheStreamsKeptForThem) {
  // A published result depends on these rows: changing the streams changes every answer on a sample.
  const PreparedData data = prepare(regression(60), {.samples = 9, .seed = 4, .test_fraction = 0.25});
  auto held = draw_without_replacement(60, 15, RandomStream(4, RandomUse::test_rows));
  std::sort(held.begin(), held.end());
  EXPECT_EQ(first_column(data.test), std::vector<double>(held.begin(), held.end()));
  std::vector<double> left;
  for (int row = 0; row < 60; ++row) {
    if (!std::binary_search(held.begin(), held.end(), row)) left.push_back(row);
  }
  const auto drawn = draw_without_replacement(45, 9, RandomStream(4, RandomUse::rows));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(data.train.inputs(Index(i), 0), left[std::size_t(drawn[i])]);
}

TEST(Prepare, LeavesAGivenTestSplitAlone) {
  Dataset data = regression(20);
  data.test = regression(7).train;
  const PreparedData prepared = prepare(std::move(data), {.test_fraction = 0.5});
  EXPECT_EQ(prepared.train.size(), 20);
  EXPECT_EQ(prepared.test.size(), 7);
}

TEST(Preprocess, StandardizesByTheTrainingRowsOnly) {
  Dataset data = regression(40);
  data.is_table = true;
  data.test = regression(5).train;
  const Matrix test_inputs = data.test.inputs, test_targets = data.test.targets;
  const ColumnStatistics inputs = column_statistics(data.train.inputs);
  const PreparedData prepared = prepare(std::move(data), {});
  EXPECT_EQ(prepared.preprocess, Preprocess::standardize);
  const ColumnStatistics after = column_statistics(prepared.train.inputs);
  const ColumnStatistics targets = column_statistics(prepared.train.targets);
  for (Index c = 0; c < 3; ++c) {
    EXPECT_NEAR(after.mean[c], 0.0, 1e-14);
    EXPECT_NEAR(after.standard_deviation[c], 1.0, 1e-14);
    EXPECT_NEAR(prepared.test.inputs(4, c), (test_inputs(4, c) - inputs.mean[c]) / inputs.standard_deviation[c], 1e-14);
  }
  EXPECT_NEAR(targets.mean[0], 0.0, 1e-14);
  EXPECT_NEAR(targets.standard_deviation[0], 1.0, 1e-14);
  EXPECT_NEAR(prepared.target_shift[0] + prepared.target_scale[0] * prepared.test.targets(3, 0), test_targets(3, 0),
              1e-12);
}

TEST(Preprocess, CentersWithoutScaling) {
  const PreparedData data = prepare(regression(5), {.preprocess = Preprocess::center});
  EXPECT_EQ(data.train.inputs.col(1), (Vector(5) << -4, -2, 0, 2, 4).finished());
  EXPECT_EQ(data.target_shift[0], 6.0);
  EXPECT_NEAR(data.train.targets(4, 0), 10.0 / std::sqrt(34.8), 1e-12);  // targets 0, 1, 4, 9, 16
}

TEST(Preprocess, DividesPixelsByFullIntensity) {
  Dataset data = classification(30, 3);
  data.pixel_maximum = 255.0;
  const PreparedData prepared = prepare(std::move(data), {});
  EXPECT_EQ(prepared.preprocess, Preprocess::unit);
  EXPECT_EQ(prepared.train.inputs(7, 2), 21.0 / 255.0);
  EXPECT_EQ(prepared.train.targets, encode_labels(prepared.train.labels, 3));
}

TEST(Preprocess, MapsOtherFeaturesToTheirRange) {
  const PreparedData data = prepare(regression(5), {.preprocess = Preprocess::unit});
  EXPECT_EQ(data.train.inputs.col(2), (Vector(5) << 0, 0.25, 0.5, 0.75, 1).finished());
  EXPECT_NEAR(data.train.targets(4, 0), 10.0 / std::sqrt(34.8), 1e-12);
}

TEST(Preprocess, TurnsConstantFeaturesToZero) {
  for (const Preprocess preprocess : {Preprocess::standardize, Preprocess::center, Preprocess::unit}) {
    Dataset data = regression(10);
    data.train.inputs.col(1).setConstant(0.1);
    const PreparedData prepared = prepare(std::move(data), {.preprocess = preprocess});
    EXPECT_TRUE((prepared.train.inputs.col(1).array() == 0.0).all()) << to_string(preprocess);
    EXPECT_THAT(prepared.notes, Contains(HasSubstr("1 of 3 features is constant")));
  }
}

TEST(Preprocess, KeepsDigitsOfLargeOffsetsAndTinyRanges) {
  Dataset data = regression(4);
  data.train.inputs.col(0) << 1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4;
  data.train.inputs.col(1) << 1e-200, 2e-200, 3e-200, 4e-200;
  data.train.inputs.col(2) << 1e200, 2e200, 3e200, 4e200;
  const PreparedData prepared = prepare(std::move(data), {.preprocess = Preprocess::standardize});
  const Vector expected = (Vector(4) << -1.5, -0.5, 0.5, 1.5).finished() / std::sqrt(1.25);
  for (Index c = 0; c < 3; ++c) EXPECT_LT((prepared.train.inputs.col(c) - expected).cwiseAbs().maxCoeff(), 1e-12) << c;
}

TEST(PrepareErrors, NameTheRule) {
  expect_error(
      ErrorKind::data, [] { prepare(regression(1), {}); }, "made: 1 row; at least 2");
  expect_error(
      ErrorKind::data, [] { prepare(regression(0), {}); }, "0 rows");
  expect_error(
      ErrorKind::usage, [] { prepare(regression(30), {.samples = 31}); }, "samples is 31", "30 training rows");
  expect_error(
      ErrorKind::usage, [] { prepare(regression(30), {.samples = -1}); }, "samples is -1");
  expect_error(
      ErrorKind::usage, [] { prepare(regression(30), {.samples = 1}); }, "samples is 1", "2 to 30");
  expect_error(
      ErrorKind::usage, [] { prepare(regression(30), {.test_fraction = 1.0}); }, "test_fraction is 1", "[0, 1)");
  expect_error(
      ErrorKind::usage, [] { prepare(regression(30), {.test_fraction = NAN}); }, "test_fraction is nan");
  expect_error(
      ErrorKind::usage, [] { prepare(regression(4), {.test_fraction = 0.9}); }, "leaves 0 of 4 rows");
}

TEST(PrepareErrors, RefuseTargetsThatSayNothing) {
  expect_error(
      ErrorKind::data, [] { prepare(classification(10, 1), {}); }, "one class, 'class0'");
  Dataset constant = regression(10);
  constant.train.targets.setConstant(4.5);
  expect_error(
      ErrorKind::data, [&] { prepare(constant, {}); }, "target 'y' is 4.5 in all of the 10 rows");
}

TEST(PrepareErrors, RefuseWhatIsNotFinite) {
  Dataset data = regression(10);
  data.train.inputs(3, 2) = NAN;
  expect_error(
      ErrorKind::data, [&] { prepare(data, {}); }, "input 2 of training row 3", "nan");
  data = regression(10);
  data.train.targets(9, 0) = std::numeric_limits<double>::infinity();
  expect_error(
      ErrorKind::data, [&] { prepare(data, {}); }, "target 0 of training row 9", "inf");
  data = regression(10);
  data.train.inputs(0, 0) = -1.7e308;
  data.train.inputs(1, 0) = 1.7e308;
  expect_error(
      ErrorKind::data, [&] { prepare(data, {.preprocess = Preprocess::standardize}); }, "column 0", "cannot be scaled");
}

}  // namespace
}  // namespace priorfit
