// Folders of PNG and JPEG pictures, one per class.
#include <gtest/gtest.h>

#include "arrays/npy.hpp"
#include "data/picture.hpp"
#include "helpers.hpp"
#include "priorfit/dataset.hpp"
#include "support/file_io.hpp"

namespace priorfit {
using namespace internal;
namespace {

namespace fs = std::filesystem;
using internal::Picture;
using test::expect_error;
using test::read_all;
using test::Scratch;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

fs::path fixture(const std::string& name) { return fs::path(PRIORFIT_FIXTURES) / "pictures" / name; }

Dataset load(const fs::path& folder, const PictureShape& shape = {}) {
  return load_dataset({.source = folder.string(), .pictures = shape});
}

TEST(PictureFolder, HoldsOneClassPerFolder) {
  const Dataset data = load(fixture(""));
  EXPECT_EQ(data.task, Task::classification);
  EXPECT_THAT(data.output_names, ElementsAre("blue", "red"));
  EXPECT_THAT(data.train.labels, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(data.pictures, (PictureShape{8, 6, 3}));
  EXPECT_EQ(data.pixel_maximum, 255.0);
  FileSource source(fixture("expected.npy"));
  EXPECT_EQ(data.train.inputs, read_npy(source).values);  // by Pillow
  EXPECT_THAT(data.notes, Contains("pictures of 8 × 6 pixels, in colour"));
  EXPECT_THAT(data.notes, Contains(HasSubstr("1 file other than")));
}

TEST(PictureFolder, IsGreyWhereAllPicturesAre) {
  const Scratch folder;
  for (const char* name : {"a/1.png", "b/2.png"}) folder.file(name, read_all(fixture("blue/grey.png")));
  const Dataset data = load(folder.path());
  EXPECT_EQ(data.pictures, (PictureShape{8, 6, 1}));
  const Dataset colour = load(fixture(""));
  EXPECT_EQ(data.train.inputs.row(0), colour.train.inputs.row(0).head(48));
}

TEST(PictureFolder, BringsPicturesToOneSize) {
  const Dataset whole = load(fixture("")), half = load(fixture(""), {4, 3, 3});
  EXPECT_EQ(half.train.inputs.cols(), 36);
  EXPECT_THAT(half.notes, Contains(HasSubstr("resized to 4 × 3 pixels")));
  // A pixel is the mean of the four that it covers.
  const auto at = [&](Index x, Index y) { return whole.train.inputs(2, y * 8 + x); };
  EXPECT_NEAR(half.train.inputs(2, 5), (at(2, 2) + at(3, 2) + at(2, 3) + at(3, 3)) / 4, 1e-12);
  const Dataset uneven = load(fixture(""), {3, 5, 3});
  for (Index r = 0; r < 4; ++r) EXPECT_NEAR(uneven.train.inputs.row(r).mean(), whole.train.inputs.row(r).mean(), 1e-9);
}

TEST(PictureFolder, MayHaveATestPart) {
  const Scratch folder;
  for (const char* name : {"train/a/1.png", "train/b/2.png", "test/b/3.png"}) {
    folder.file(name, read_all(fixture("blue/grey.png")));
  }
  const Dataset data = load(folder.path());
  EXPECT_EQ(data.train.size(), 2);
  EXPECT_THAT(data.test.labels, ElementsAre(1));
  folder.file("test/c/4.png", read_all(fixture("blue/grey.png")));
  expect_error(
      ErrorKind::data, [&] { load(folder.path()); }, "class 'c'", "no pictures to train on");
}

TEST(PictureFolder, LeavesOutWhatCannotBeRead) {
  const Scratch folder;
  const std::string png = read_all(fixture("red/colour.png")), jpeg = read_all(fixture("red/photo.jpg"));
  folder.file("a/1.png", png);
  folder.file("b/2.png", png);
  folder.file("b/cut.png", png.substr(0, png.size() - 30));
  folder.file("b/cut.jpg", jpeg.substr(0, jpeg.size() / 2));
  folder.file("b/text.jpg", "no picture");
  folder.file("b/empty.png", "");
  const Dataset data = load(folder.path());
  EXPECT_EQ(data.train.size(), 2);
  EXPECT_THAT(data.notes, Contains(HasSubstr("4 pictures cannot be read and are left out")));
  fs::remove(folder.path() / "a/1.png");
  fs::remove(folder.path() / "b/2.png");
  expect_error(
      ErrorKind::data, [&] { load(folder.path()); }, "no picture can be read");
}

TEST(PictureFolder, TravelsWithTheRecipe) {
  const PreparedData data = prepare(load(fixture(""), {4, 3, 3}), {});
  const Scratch folder;
  const Preparation recipe = read_preparation(folder.file("r.json", to_json(data.preparation)));
  EXPECT_EQ(apply(recipe, {.source = fixture("").string()}).inputs, data.train.inputs);
}

TEST(Pictures, ClaimNoMoreThanIsDecoded) {
  // 65535 × 65535 pixels in a header of 30 bytes, its checksum right.
  std::string png = read_all(fixture("blue/grey.png"));
  const std::string header("\x00\x00\xFF\xFF\x00\x00\xFF\xFF\x08\x00\x00\x00\x00\x93\x6E\x86\x8C", 17);
  png.replace(16, 17, header);
  const auto head = internal::read_head(png, internal::PictureFormat::png);
  EXPECT_THAT(head.problem, ::testing::Not(::testing::IsEmpty()));
  std::string jpeg = read_all(fixture("red/photo.jpg"));
  const std::size_t frame = jpeg.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\xFF\xDC\xFF\xDC");
  const Picture large = internal::decode(jpeg, internal::PictureFormat::jpeg, 3);
  EXPECT_THAT(large.problem, HasSubstr("at most 16777216"));
  EXPECT_TRUE(large.bytes.empty());
}

TEST(Pictures, HoldNoPartThatIsLongerThanTheFile) {
  const std::string png = read_all(fixture("blue/grey.png"));
  EXPECT_EQ(internal::read_head(png, internal::PictureFormat::png).problem, "");
  // Behind the header a text of 256 MB, for which libpng would take memory.
  const std::string long_text = png.substr(0, 33) + std::string("\x10\x00\x00\x04tEXt@!PN>", 13);
  EXPECT_THAT(internal::read_head(long_text, internal::PictureFormat::png).problem, HasSubstr("says 268435460 bytes"));
}

}  // namespace
}  // namespace priorfit
