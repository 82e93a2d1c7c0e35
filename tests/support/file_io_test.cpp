#include "support/file_io.hpp"

#include <sys/stat.h>
#include <zlib.h>

#include "helpers.hpp"

namespace priorfit {
using namespace internal;
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::read_all;
using test::Scratch;

fs::path write_gzip(const Scratch& folder, const std::string& name, const std::string& content) {
  const fs::path path = folder.path() / name;
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  return path;
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(ReadFile, GivesPlainAndGzippedContentAlike) {
  const Scratch folder;
  std::string content;
  for (int i = 0; i < 200'000; ++i) content += std::to_string(i) + "\n";
  EXPECT_EQ(read_file(folder.file("plain.txt", content), 1 << 24), content);
  EXPECT_EQ(read_file(write_gzip(folder, "named-without-gz", content), 1 << 24), content);
  EXPECT_EQ(read_file(folder.file("empty", ""), 10), "");
}

TEST(ReadFile, KeepsToItsLimit) {
  const Scratch folder;
  const fs::path plain = folder.file("five", "12345");
  EXPECT_EQ(read_file(plain, 5), "12345");
  expect_error(
      ErrorKind::data, [&] { read_file(plain, 4); }, "five", "more than the 4 bytes");
  const fs::path bomb = write_gzip(folder, "bomb.gz", std::string(1 << 22, '0'));
  expect_error(
      ErrorKind::data, [&] { read_file(bomb, 1 << 20); }, "bomb.gz", "more than");
}

TEST(ReadFile, SaysWhyAFileCannotBeRead) {
  const Scratch folder;
  expect_error(
      ErrorKind::io, [&] { read_file(folder.path() / "absent", 10); }, "absent", "No such file or directory");
  expect_error(
      ErrorKind::io, [&] { read_file(folder.path(), 10); }, "Is a directory");
}

TEST(ReadFile, RefusesDamagedGzip) {
  const Scratch folder;
  std::string varied;
  for (int i = 0; i < 5000; ++i) varied += std::to_string(i * 7919 % 10007);
  std::string bytes = read_all(write_gzip(folder, "whole.gz", varied));
  const fs::path cut = folder.file("cut.gz", bytes.substr(0, bytes.size() - 100));
  expect_error(
      ErrorKind::data, [&] { read_file(cut, 1 << 20); }, "cut.gz", "cut short");
  const fs::path no_trailer = folder.file("no-trailer.gz", bytes.substr(0, bytes.size() - 4));
  expect_error(
      ErrorKind::data, [&] { read_file(no_trailer, 1 << 20); }, "no-trailer.gz", "cut short");
  bytes[bytes.size() - 6] ^= 0x55;  // inside the checksum
  const fs::path wrong = folder.file("wrong.gz", bytes);
  expect_error(
      ErrorKind::data, [&] { read_file(wrong, 1 << 20); }, "wrong.gz", "damaged", "incorrect data check");
}

TEST(FileSource, BoundsWhatItCanHold) {
  const Scratch folder;
  EXPECT_EQ(FileSource(folder.file("plain", "12345")).size_bound(), 5U);
  const std::string zeros(1 << 22, '\0');
  EXPECT_GE(FileSource(write_gzip(folder, "zeros.gz", zeros)).size_bound(), zeros.size());
}

TEST(FileSource, RefusesGzipThatUnpacksToFarMoreThanItsSize) {
  const Scratch folder;
  const std::string zeros(std::size_t{24} << 20, '\0');
  const fs::path path = write_gzip(folder, "bomb.gz", zeros);
  ASSERT_LT(fs::file_size(path), 80000u);
  expect_error(
      ErrorKind::data, [&] { read_file(path, 1 << 30); }, "bomb.gz", "unpacks to more than", "gunzip");
}

TEST(Gunzip, UndoesGzipInMemory) {
  const Scratch folder;
  const std::string bytes = read_all(write_gzip(folder, "a.gz", "some text"));
  EXPECT_EQ(gunzip(bytes, 100, "a"), "some text");
  expect_error(
      ErrorKind::data, [&] { gunzip(bytes, 3, "a"); }, "more than the 3 bytes");
  expect_error(
      ErrorKind::data, [&] { gunzip(bytes.substr(0, 12), 100, "a"); }, "a: ", "cut short");
  expect_error(
      ErrorKind::data, [&] { gunzip("not gzip at all", 100, "a"); }, "damaged");
}

TEST(MemorySource, GivesItsBytesOnce) {
  MemorySource source("abcdef", "m");
  char buffer[4];
  EXPECT_EQ(source.read(buffer), 4U);
  EXPECT_EQ(std::string(buffer, 4), "abcd");
  EXPECT_EQ(source.read(buffer), 2U);
  EXPECT_EQ(source.read(buffer), 0U);
}

TEST(WriteFile, ReplacesAtOnceAndLeavesNoTemporary) {
  const Scratch folder;
  const fs::path path = folder.file("result.json", "old");
  write_file(path, "new content");
  EXPECT_EQ(read_all(path), "new content");
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(WriteFile, GivesOrdinaryPermissions) {
  const Scratch folder;
  const fs::path path = folder.path() / "result";
  const mode_t mask = umask(022);
  write_file(path, "x");
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644U);
}

TEST(AtomicFile, LeavesTheOldContentWhenItIsNotCommitted) {
  const Scratch folder;
  const fs::path path = folder.file("result", "old");
  {
    AtomicFile file(path);
    file.write("half of the new");
    EXPECT_EQ(entries(folder.path()), 2U);
  }
  EXPECT_EQ(read_all(path), "old");
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(WriteFile, SaysWhyItFailsAndLeavesNothing) {
  const Scratch folder;
  expect_error(
      ErrorKind::io, [&] { write_file(folder.path() / "no/such/folder", "x"); }, "cannot write", "folder",
      "No such file or directory");
  // A folder cannot be replaced by a file, so the rename fails after all was written.
  fs::create_directory(folder.path() / "taken");
  folder.file("taken/inside", "");
  expect_error(
      ErrorKind::io, [&] { write_file(folder.path() / "taken", "x"); }, "cannot write", "taken");
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(WriteFile, RemovesWhatAKilledProcessHasLeftOfIt) {
  const Scratch folder;
  folder.file("result.json.priorfit-4711-0.tmp", "half");
  folder.file("result.json.2024-11.tmp", "a user's");
  write_file(folder.path("result.json"), "whole");
  EXPECT_FALSE(fs::exists(folder.path("result.json.priorfit-4711-0.tmp")));
  EXPECT_EQ(read_all(folder.path("result.json.2024-11.tmp")), "a user's");
  EXPECT_EQ(entries(folder.path()), 2U);
}

TEST(AtomicFile, IsWrittenByTwoProcessesAtOnce) {
  const test::Scratch scratch;
  const std::string path = scratch.path("shared");
  const auto write_often = [&] {
    try {
      for (int i = 0; i < 300; ++i) write_file(path, "whole");
      return 0;
    } catch (const Error&) {
      return 1;
    }
  };
  const pid_t child = fork();
  if (child == 0) _exit(write_often());
  EXPECT_EQ(write_often(), 0);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(test::read_all(path), "whole");
}

TEST(RemoveUnfinished, LeavesWhatIsNotOursAndWhatIsStillWritten) {
  const Scratch folder;
  const std::string checkpoint = folder.path("checkpoint");
  const auto others = {"checkpoint.2024-11.tmp",
                       "checkpoint.20241101-2.tmp",
                       "checkpoint.priorfit-notes.tmp",
                       "checkpoint.priorfit-1-0.txt.tmp",
                       "checkpoint.priorfit--.tmp",
                       "checkpoint.priorfit-.tmp",
                       "checkpoint.tmp",
                       "other.priorfit-1-0.tmp"};
  for (const char* name : others) folder.file(name, "x");
  folder.file("checkpoint.priorfit-1-0.tmp", "x");
  AtomicFile writing(checkpoint);
  writing.write("half");
  remove_unfinished(checkpoint);
  EXPECT_FALSE(fs::exists(folder.path("checkpoint.priorfit-1-0.tmp")));
  for (const char* name : others) EXPECT_TRUE(fs::exists(folder.path(name))) << name;
  writing.commit();
  EXPECT_EQ(read_all(checkpoint), "half");
}

}  // namespace
}  // namespace priorfit
