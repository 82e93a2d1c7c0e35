#include "data/arrays.hpp"

#include "arrays/npy.hpp"
#include "arrays/npz.hpp"
#include "helpers.hpp"

namespace priorfit {
namespace {

using test::expect_error;
using test::read_all;
using test::Scratch;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string npz(const std::string& name) { return std::string(PRIORFIT_FIXTURES) + "/npz/" + name + ".npz"; }
std::string npy(const std::string& name) { return std::string(PRIORFIT_FIXTURES) + "/npy/" + name + ".npy"; }

TEST(LoadNpz, ReadsStoredAndDeflatedAlike) {
  const Dataset stored = load_dataset({.source = npz("stored")});
  const Dataset deflated = load_dataset({.source = npz("deflated")});
  EXPECT_EQ(stored.train.inputs, deflated.train.inputs);
  EXPECT_EQ(stored.train.inputs.rows(), 40);
  EXPECT_EQ(stored.train.inputs.cols(), 3);
  EXPECT_EQ(stored.train.inputs(0, 0), 0.1257302210933933);  // of numpy.random.default_rng(0)
  EXPECT_EQ(stored.task, Task::classification);
  EXPECT_THAT(stored.output_names, ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(stored.train.labels, deflated.train.labels);
  EXPECT_EQ(stored.train.labels[5], 1);
  EXPECT_FALSE(stored.is_table);
}

TEST(LoadNpz, TakesEitherCaseOfTheNames) {
  const Dataset data = load_dataset({.source = npz("lower_upper")});
  EXPECT_EQ(data.task, Task::regression);
  EXPECT_EQ(data.train.targets, data.train.inputs.leftCols(1));
}

TEST(LoadNpz, ReadsATestSplit) {
  const Dataset data = load_dataset({.source = npz("split")});
  EXPECT_EQ(data.train.size(), 30);
  EXPECT_EQ(data.test.size(), 10);
  EXPECT_EQ(data.test.labels.size(), 10U);
  EXPECT_EQ(data.test.labels[0], 30 % 4);
  expect_error(
      ErrorKind::data, [] { load_dataset({.source = npz("half_split")}); }, "X_test and y_test", "only X_test");
}

TEST(LoadNpz, TakesSeveralOutputsForRegression) {
  const Dataset data = load_dataset({.source = npz("two_outputs")});
  EXPECT_EQ(data.task, Task::regression);
  EXPECT_EQ(data.train.targets, data.train.inputs.leftCols(2));
  EXPECT_THAT(data.output_names, ElementsAre("y[0]", "y[1]"));
  expect_error(
      ErrorKind::usage, [] { load_dataset({.source = npz("two_outputs"), .task = Task::classification}); },
      "one column of labels");
}

TEST(LoadNpz, FlattensPictures) {
  const Dataset data = load_dataset({.source = npz("pictures")});
  EXPECT_EQ(data.train.inputs.cols(), 6);
  EXPECT_EQ(data.train.inputs(1, 5), 11);
  EXPECT_EQ(data.pixel_maximum, 255.0);
  EXPECT_THAT(data.notes, Contains(HasSubstr("pictures")));
}

TEST(LoadNpz, ReportsMissingArrays) {
  expect_error(
      ErrorKind::data, [] { load_dataset({.source = npz("other_names")}); }, "no array X", "inputs, outputs");
}

TEST(LoadNpz, ReportsWhatIsNoArchive) {
  const Scratch folder;
  const std::string text = folder.file("text.npz", "a,b\n1,2\n");
  expect_error(
      ErrorKind::data, [&] { load_dataset({.source = text}); }, "text.npz", "not a readable npz");
  const std::string whole = read_all(npz("deflated"));
  const std::string cut = folder.file("cut.npz", whole.substr(0, whole.size() / 2));
  expect_error(
      ErrorKind::data, [&] { load_dataset({.source = cut}); }, "cut.npz", "not a readable npz");
}

TEST(LoadNpz, ReportsDamagedEntries) {
  const Scratch folder;
  std::string bytes = read_all(npz("deflated"));
  for (std::size_t i = 200; i < 260; ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x5a);
  const std::string damaged = folder.file("damaged.npz", bytes);
  expect_error(
      ErrorKind::data, [&] { load_dataset({.source = damaged}); }, "damaged.npz, array X", "damaged zip data");
}

TEST(LoadNpy, ReadsInputsWithTargets) {
  const Scratch folder;
  const Matrix x = Matrix::Random(30, 4);
  const Matrix y = Matrix::Random(30, 1);
  const std::string inputs = folder.file("x.npy", npy_bytes(x));
  const std::string targets = folder.file("y.npy", npy_bytes(y, {30}));
  const Dataset data = load_dataset({.source = inputs, .targets = targets});
  EXPECT_EQ(data.train.inputs, x);
  EXPECT_EQ(data.train.targets, y);
  EXPECT_EQ(data.task, Task::regression);
  EXPECT_THAT(data.output_names, ElementsAre("y"));
  EXPECT_EQ(data.pixel_maximum, 0.0);
}

TEST(LoadNpy, ReportsWrongPairs) {
  expect_error(
      ErrorKind::usage, [] { load_dataset({.source = npy("f8")}); }, "--targets");
  expect_error(
      ErrorKind::data, [] { load_dataset({.source = npy("f8"), .targets = npy("cube")}); }, "3 rows", "has 2");
  expect_error(
      ErrorKind::data, [] { load_dataset({.source = npy("scalar"), .targets = npy("scalar")}); }, "single number");
  expect_error(
      ErrorKind::data, [] { load_dataset({.source = npy("nan"), .targets = npy("cube")}); }, "nan.npy",
      "row 1, column 1", "nan");
  expect_error(
      ErrorKind::io, [] { load_dataset({.source = npy("f8"), .targets = "absent.npy"}); }, "absent.npy",
      "No such file");
  expect_error(
      ErrorKind::data, [] { load_dataset({.source = npy("object"), .targets = npy("f8")}); }, "dtype object");
}

TEST(LoadNpy, IsRecognisedWithoutItsExtension) {
  const Scratch folder;
  const std::string bare = folder.file("inputs", read_all(npy("f8")));
  const Dataset data = load_dataset({.source = bare, .targets = npy("vector")});
  EXPECT_EQ(data.train.inputs.rows(), 3);
}

}  // namespace
}  // namespace priorfit
