// Data that are at hand are understood as those of files.
#include <gtest/gtest.h>

#include "arrays/npy.hpp"
#include "helpers.hpp"
#include "priorfit/dataset.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::Scratch;

TEST(DataAtHand, ATableIsReadAsItsFile) {
  const std::string text = "size,city,price\n1.5,Bern,3\n,Oslo,4\n2,Bern,5\n3,Oslo,4.5\n";
  const Scratch folder;
  const Dataset file = load_dataset({.source = folder.file("t.csv", text), .target_column = "price"});
  const Dataset here = load_table_text(text, {.source = "frame", .target_column = "price"});
  EXPECT_EQ(here.name, "frame");
  EXPECT_EQ(prepare(here, {}).train.inputs, prepare(file, {}).train.inputs);
  EXPECT_EQ(here.train.targets, file.train.targets);
}

TEST(DataAtHand, NamesThatLookLikeNumbersAreNamesWhereTheCallerSaysSo) {
  const std::string text = "0,1,2\n1.5,2.5,3\n4,5,6\n7,8,9.5\n";
  EXPECT_EQ(load_table_text(text, {.source = "frame"}).train.size(), 4);
  const Dataset named = load_table_text(text, {.source = "frame", .target_column = "2", .table = {.header = true}});
  EXPECT_EQ(named.train.size(), 3);
  EXPECT_EQ(named.feature_names, (std::vector<std::string>{"0", "1"}));
}

TEST(DataAtHand, ArraysAreReadAsTheirFiles) {
  Matrix inputs(6, 2), targets(6, 1);
  inputs << 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12;
  targets << 0.5, 1, 2, 3, 4, 5;
  const Scratch folder;
  const Dataset file = load_dataset(
      {.source = folder.file("X.npy", npy_bytes(inputs)), .targets = folder.file("y.npy", npy_bytes(targets))});
  const Dataset here = make_dataset({.inputs = inputs, .targets = targets});
  EXPECT_EQ(here.task, file.task);
  EXPECT_EQ(here.train.inputs, file.train.inputs);
  EXPECT_EQ(here.train.targets, file.train.targets);
  EXPECT_EQ(here.notes, file.notes);
}

TEST(DataAtHand, TypesDecideAsTheyDoInFiles) {
  const Matrix inputs = Matrix::Constant(6, 2, 255.0);
  Matrix labels(6, 1);
  labels << 0, 1, 2, 0, 1, 2;
  EXPECT_EQ(make_dataset({.inputs = inputs, .targets = labels}).task, Task::regression);  // two rows of each
  EXPECT_EQ(make_dataset({.inputs = inputs, .targets = labels, .whole_numbers = true}).task, Task::classification);
  EXPECT_EQ(make_dataset({.inputs = inputs, .bytes = true, .targets = labels}).pixel_maximum, 255.0);
  const Dataset named = make_dataset({.inputs = inputs, .names = {"b", "a", "b", "a", "b", "a"}});
  EXPECT_EQ(named.output_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(named.train.labels, (std::vector<int>{1, 0, 1, 0, 1, 0}));
}

TEST(DataAtHand, RowsThatDoNotMatchAreRefused) {
  EXPECT_THROW(make_dataset({.inputs = Matrix::Zero(3, 2), .targets = Matrix::Zero(2, 1)}), Error);
}

}  // namespace
}  // namespace priorfit
