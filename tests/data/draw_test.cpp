#include <gtest/gtest.h>

#include "helpers.hpp"
#include "priorfit/dataset.hpp"

namespace priorfit {
namespace {

using test::expect_error;
using test::random_matrix;
using ::testing::Contains;
using ::testing::HasSubstr;

Dataset made(Index rows, Task task) {
  Dataset data;
  data.name = "made";
  data.is_table = true;
  data.task = task;
  data.train.inputs = random_matrix(rows, 5, 1);
  data.train.inputs.col(0) = (100.0 + 7.0 * data.train.inputs.col(0).array()).matrix();
  data.train.inputs.col(3).setConstant(4.0);   // constant over all rows
  data.train.inputs.col(4).setConstant(0.25);  // and over the rows drawn, but for one row
  data.train.inputs(rows - 1, 4) = 3.0;
  data.test.inputs = random_matrix(6, 5, 2);
  if (task == Task::classification) {
    data.output_names = {"a", "b", "c"};
    for (Index i = 0; i < rows; ++i) data.train.labels.push_back(int(i % 3));
    for (Index i = 0; i < 6; ++i) data.test.labels.push_back(int(i % 3));
    data.train.targets = encode_labels(data.train.labels, 3);
    data.test.targets = encode_labels(data.test.labels, 3);
  } else {
    data.output_names = {"y", "z"};
    data.train.targets = (20.0 + 3.0 * random_matrix(rows, 2, 3).array()).matrix();
    data.test.targets = (20.0 + 3.0 * random_matrix(6, 2, 4).array()).matrix();
  }
  return data;
}

double distance(const Matrix& a, const Matrix& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff();
}

void expect_same(const PreparedData& drawn, const PreparedData& direct) {
  EXPECT_LT(distance(drawn.train.inputs, direct.train.inputs), 1e-12);
  EXPECT_LT(distance(drawn.test.inputs, direct.test.inputs), 1e-12);
  EXPECT_LT(distance(drawn.train.targets, direct.train.targets), 1e-12);
  EXPECT_LT(distance(drawn.test.targets, direct.test.targets), 1e-12);
  EXPECT_LT(distance(drawn.preparation.input_shift, direct.preparation.input_shift), 1e-12);
  EXPECT_LT(distance(drawn.preparation.input_scale, direct.preparation.input_scale), 1e-12);
  EXPECT_LT(distance(drawn.target_shift, direct.target_shift), 1e-12);
  EXPECT_LT(distance(drawn.target_scale, direct.target_scale), 1e-12);
  EXPECT_EQ(drawn.train.labels, direct.train.labels);
  EXPECT_EQ(drawn.rows, direct.rows);
  EXPECT_EQ(drawn.seed, direct.seed);
  EXPECT_EQ(drawn.notes, direct.notes);
}

TEST(DrawRows, AreTheRowsThatPrepareDrawsWithTheirOwnStatistics) {
  for (const Task task : {Task::regression, Task::classification}) {
    for (const Preprocess preprocess :
         {Preprocess::standardize, Preprocess::center, Preprocess::unit, Preprocess::none}) {
      const PreparedData all = prepare(made(80, task), {.seed = 3, .preprocess = preprocess});
      const PreparedData direct = prepare(made(80, task), {.samples = 20, .seed = 3, .preprocess = preprocess});
      ASSERT_NE(all.train.inputs.row(0), direct.train.inputs.row(0));
      expect_same(draw_rows(all, 20, 3), direct);
    }
  }
}

TEST(DrawRows, LeaveTheScaleOfPicturesAlone) {
  Dataset data = made(40, Task::classification);
  data.pixel_maximum = 200.0;
  const PreparedData all = prepare(data, {});
  EXPECT_EQ(all.preparation.input_scale.size(), 0);
  expect_same(draw_rows(all, 10, 1), prepare(data, {.samples = 10}));
}

TEST(DrawRows, AreAllOfThemInTheirOrderWhenAllAreAskedFor) {
  const PreparedData all = prepare(made(30, Task::regression), {});
  for (const Index samples : {Index{0}, Index{30}})
    EXPECT_EQ(draw_rows(all, samples, 9).train.inputs, all.train.inputs);
}

TEST(DrawRows, CountConstantFeaturesAnew) {
  const PreparedData all = prepare(made(80, Task::regression), {.seed = 3});
  EXPECT_THAT(all.notes, Contains(HasSubstr("1 of 5 features is constant")));
  EXPECT_THAT(draw_rows(all, 20, 3).notes, Contains(HasSubstr("2 of 5 features are constant")));
}

TEST(DrawRows, RefuseWhatCannotBeDrawn) {
  const PreparedData all = prepare(made(30, Task::regression), {});
  expect_error(
      ErrorKind::usage, [&] { draw_rows(all, 31, 1); }, "samples is 31", "30 rows");
  expect_error(
      ErrorKind::usage, [&] { draw_rows(all, 1, 1); }, "samples is 1");
  Dataset flat = made(30, Task::regression);
  flat.train.targets.setConstant(2.5);
  flat.train.targets.row(29).setConstant(3.0);
  const PreparedData prepared = prepare(flat, {.seed = 5});
  expect_error(
      ErrorKind::data, [&] { draw_rows(prepared, 2, 5); }, "target 'y' is 2.5 in all of the 2 rows");
}

}  // namespace
}  // namespace priorfit
