#include "data/arrays.hpp"

#include <cmath>

#include "arrays/npy.hpp"
#include "arrays/npz.hpp"
#include "helpers.hpp"

namespace priorfit {
using namespace internal;
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

TEST(LoadNpz, TakesArraysByName) {
  const Dataset data = load_dataset({.source = npz("other_names"), .arrays = {"inputs", "outputs"}});
  EXPECT_GT(data.train.size(), 0);
  expect_error(
      ErrorKind::usage,
      [] {
        load_dataset({.source = npz("other_names"), .arrays = {"input", "outputs"}});
      },
      "no array 'input'", "did you mean 'inputs'?");
  expect_error(
      ErrorKind::usage, [] { load_dataset({.source = npz("other_names"), .arrays = {"inputs"}}); }, "1 array names");
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
      ErrorKind::usage, [] { load_dataset({.source = npy("f8")}); }, "file of targets");
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

// Two rows of names as np.save writes them: dtype '<U3' and '|S3'.
TEST(LoadNpy, ReadsNamesOfClasses) {
  const Scratch folder;
  const std::string inputs = folder.file("x.npy", npy_bytes(Matrix(Matrix::Random(4, 2))));
  std::string wide = npy_preamble("<U2", {4}), narrow = npy_preamble("|S2", {4});
  for (const char32_t* word : {U"b\u00e9", U"a", U"b\u00e9", U"a"}) {
    const char32_t second = word[1];
    wide.append(reinterpret_cast<const char*>(word), 4).append(reinterpret_cast<const char*>(&second), 4);
  }
  narrow += std::string("bc") + std::string("a\0", 2) + "bc" + std::string("a\0", 2);
  const Dataset unicode = load_dataset({.source = inputs, .targets = folder.file("u.npy", wide)});
  EXPECT_THAT(unicode.output_names, ElementsAre("a", "b\u00e9"));
  EXPECT_THAT(unicode.train.labels, ElementsAre(1, 0, 1, 0));
  const Dataset bytes = load_dataset({.source = inputs, .targets = folder.file("s.npy", narrow)});
  EXPECT_THAT(bytes.output_names, ElementsAre("a", "bc"));
  const std::string names = folder.file("n.npy", narrow);
  expect_error(
      ErrorKind::data, [&] { load_dataset({.source = names, .targets = names}); }, "holds text");
}

// 1, -2, 0.5, 65504 and the smallest half; numpy.array([...], 'f2').tobytes(), and the upper halves of floats.
TEST(LoadNpy, ReadsHalfPrecision) {
  const Scratch folder;
  const auto values = [&](const std::string& descriptor, std::initializer_list<std::uint16_t> bits) {
    std::string bytes = npy_preamble(descriptor, {static_cast<Index>(bits.size())});
    for (const std::uint16_t b : bits) bytes.append(reinterpret_cast<const char*>(&b), 2);
    FileSource source(folder.file("h.npy", bytes));
    return read_npy(source).values;
  };
  EXPECT_EQ(values("<f2", {0x3C00, 0xC000, 0x3800, 0x7BFF, 0x0001}),
            (Matrix(5, 1) << 1, -2, 0.5, 65504, std::ldexp(1.0, -24)).finished());
  EXPECT_EQ(values("|V2", {0x3F80, 0xC000, 0x3E20}), (Matrix(3, 1) << 1, -2, 0.15625).finished());
}

TEST(LoadNpy, RefusesMoreDimensionsThanNumpyHas) {
  const Scratch folder;
  const std::string many = folder.file("m.npy", npy_preamble("<f8", std::vector<Index>(40, 1)) + std::string(8, '\0'));
  expect_error(
      ErrorKind::data, [&] { load_dataset({.source = many, .targets = many}); }, "more than 32 dimensions");
}

TEST(LoadNpy, IsRecognisedWithoutItsExtension) {
  const Scratch folder;
  const std::string bare = folder.file("inputs", read_all(npy("f8")));
  const Dataset data = load_dataset({.source = bare, .targets = npy("vector")});
  EXPECT_EQ(data.train.inputs.rows(), 3);
}

}  // namespace
}  // namespace priorfit
