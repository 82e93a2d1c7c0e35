#include "data/images.hpp"

#include <zlib.h>

#include "helpers.hpp"

namespace priorfit {
using namespace internal;
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::read_all;
using test::Scratch;
using ::testing::ElementsAre;

fs::path fixture(const std::string& name) { return fs::path(PRIORFIT_FIXTURES) / name; }

void copy_all(const fs::path& from, const Scratch& to) { fs::copy(from, to.path(), fs::copy_options::recursive); }

Dataset load(const Scratch& folder) { return load_dataset({.source = folder.path().string()}); }

TEST(LoadIdx, ReadsPlainAndGzippedFolders) {
  for (const char* name : {"idx", "idx-gz"}) {
    const Dataset data = load_dataset({.source = fixture(name).string()});
    EXPECT_EQ(data.train.inputs.rows(), 12);
    EXPECT_EQ(data.train.inputs.cols(), 6);
    EXPECT_EQ(data.train.inputs(11, 5), 71 * 3);
    EXPECT_EQ(data.test.inputs.rows(), 4);
    EXPECT_EQ(data.test.inputs(3, 5), 23);
    EXPECT_EQ(data.task, Task::classification);
    EXPECT_THAT(data.output_names, ElementsAre("0", "1", "2"));
    EXPECT_EQ(data.train.labels[4], 1);
    EXPECT_EQ(data.pixel_maximum, 255.0);
  }
}

TEST(LoadIdx, ReadsDottedNamesAndDoesWithoutATestPart) {
  const Dataset data = load_dataset({.source = fixture("idx-dotted").string()});
  EXPECT_EQ(data.train.size(), 12);
  EXPECT_EQ(data.test.size(), 0);
}

TEST(LoadIdx, ReportsTruncatedFiles) {
  const Scratch plain;
  copy_all(fixture("idx"), plain);
  const std::string bytes = read_all(fixture("idx/train-images-idx3-ubyte"));
  plain.file("train-images-idx3-ubyte", bytes.substr(0, bytes.size() - 20));
  expect_error(
      ErrorKind::data, [&] { load(plain); }, "train-images-idx3-ubyte", "truncated");
  plain.file("train-images-idx3-ubyte", bytes.substr(0, 9));
  expect_error(
      ErrorKind::data, [&] { load(plain); }, "ends inside its IDX header");
  plain.file("train-images-idx3-ubyte", bytes + "x");
  expect_error(
      ErrorKind::data, [&] { load(plain); }, "more bytes follow");

  const Scratch packed;
  copy_all(fixture("idx-gz"), packed);
  const std::string gz = read_all(fixture("idx-gz/train-images-idx3-ubyte.gz"));
  packed.file("train-images-idx3-ubyte.gz", gz.substr(0, gz.size() - 12));
  expect_error(
      ErrorKind::data, [&] { load(packed); }, "train-images-idx3-ubyte.gz", "cut short");
}

TEST(LoadIdx, AllocatesNothingForAHeaderThatTheFileCannotHold) {
  const Scratch folder;
  copy_all(fixture("idx"), folder);
  std::string bytes = read_all(fixture("idx/train-images-idx3-ubyte"));
  for (std::size_t i = 4; i < 16; ++i) bytes[i] = '\x7f';
  folder.file("train-images-idx3-ubyte", bytes);
  expect_error(
      ErrorKind::data, [&] { load(folder); }, "truncated", "more than the file holds");
}

TEST(LoadIdx, ReportsAWrongSignatureAndMismatchedCounts) {
  const Scratch folder;
  copy_all(fixture("idx"), folder);
  fs::copy_file(fixture("idx/t10k-labels-idx1-ubyte"), folder.path() / "train-labels-idx1-ubyte",
                fs::copy_options::overwrite_existing);
  expect_error(
      ErrorKind::data, [&] { load(folder); }, "12 images", "4 labels");
  folder.file("train-labels-idx1-ubyte", "not an IDX file");
  expect_error(
      ErrorKind::data, [&] { load(folder); }, "train-labels-idx1-ubyte", "not an IDX file", "6e 6f 74 20");
  fs::remove(folder.path() / "train-labels-idx1-ubyte");
  expect_error(
      ErrorKind::io, [&] { load(folder); }, "train-labels-idx1-ubyte[.gz] is missing");
}

TEST(LoadIdx, AsksForTheFolderOfASingleFile) {
  expect_error(
      ErrorKind::data, [] { load_dataset({.source = fixture("idx/train-images-idx3-ubyte").string()}); },
      "give the folder");
}

TEST(LoadCifar, ReadsAllBatchesInOrder) {
  const Dataset data = load_dataset({.source = fixture("cifar").string()});
  EXPECT_EQ(data.train.inputs.rows(), 5);
  EXPECT_EQ(data.train.inputs.cols(), 3072);
  EXPECT_EQ(data.test.size(), 1);
  EXPECT_THAT(data.train.labels, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(data.test.labels, ElementsAre(5));
  EXPECT_EQ(data.train.inputs(2, 3071), 3071 * 3 % 251);
  EXPECT_EQ(data.test.inputs(0, 100), 600 % 251);
  EXPECT_EQ(data.output_names.front(), "airplane");
  EXPECT_EQ(data.output_names.back(), "truck");
  EXPECT_EQ(data.train.labels[1], 1);
  EXPECT_EQ(data.pixel_maximum, 255.0);
}

TEST(LoadCifar, RefusesCompressedBatchesRatherThanReadingSomeOfThem) {
  const Scratch folder;
  copy_all(fixture("cifar"), folder);
  const fs::path batch = folder.path() / "data_batch_1.bin";
  const std::string picture(3073, '\1');
  gzFile file = gzopen(batch.c_str(), "wb");
  for (int i = 0; i < 50; ++i) gzwrite(file, picture.data(), static_cast<unsigned>(picture.size()));
  gzclose(file);
  expect_error(
      ErrorKind::data, [&] { load(folder); }, "data_batch_1.bin", "uncompress");
}

TEST(LoadCifar, ReportsDamage) {
  const Scratch folder;
  copy_all(fixture("cifar"), folder);
  const std::string batch = read_all(fixture("cifar/data_batch_2.bin"));
  folder.file("data_batch_2.bin", batch + batch.substr(0, 1000));
  expect_error(
      ErrorKind::data, [&] { load(folder); }, "data_batch_2.bin", "truncated inside picture 2");
  std::string wrong = batch;
  wrong[0] = 42;
  folder.file("data_batch_2.bin", wrong);
  expect_error(
      ErrorKind::data, [&] { load(folder); }, "data_batch_2.bin", "picture 1 has label 42");
  fs::remove(folder.path() / "data_batch_4.bin");
  expect_error(
      ErrorKind::io, [&] { load(folder); }, "data_batch_4.bin", "missing");
}

TEST(LoadFolder, SaysWhatItLooksFor) {
  const Scratch folder;
  expect_error(
      ErrorKind::data, [&] { load(folder); }, "neither IDX files", "data_batch_1.bin");
}

}  // namespace
}  // namespace priorfit
