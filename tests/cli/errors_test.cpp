// Bad input: exit code and message of each kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/process.hpp"

namespace priorfit::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

enum Code { usage = 2, bad_data = 3, numerical = 4, io = 5 };

/// `recommend` on a file with this content must end with `code` and name all `parts` on stderr, nothing on stdout.
void expect_refused(const std::string& name, const std::string& content, int code,
                    const std::vector<std::string>& parts, const std::vector<std::string>& flags = {}) {
  const Scratch scratch;
  std::vector<std::string> words = {"recommend", scratch.file(name, content), "--criterion", "evidence"};
  words.insert(words.end(), flags.begin(), flags.end());
  const Outcome outcome = priorfit(words);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  for (const std::string& part : parts) EXPECT_THAT(outcome.err, HasSubstr(part));
}

void expect_flags_refused(const std::vector<std::string>& flags, int code, const std::vector<std::string>& parts) {
  std::vector<std::string> words = {"recommend", "digits", "--criterion", "evidence", "--samples", "50"};
  words.insert(words.end(), flags.begin(), flags.end());
  const Outcome outcome = priorfit(words);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  for (const std::string& part : parts) EXPECT_THAT(outcome.err, HasSubstr(part));
}

std::string gzipped(const std::string& text) {
  const Scratch scratch;
  const std::string path = scratch.path("x.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_all(path);
}

std::string npy(const std::string& header, std::size_t payload) {
  std::string padded = header;
  while ((10 + padded.size() + 1) % 64 != 0) padded += ' ';
  padded += '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(padded.size() & 255);
  bytes += static_cast<char>(padded.size() >> 8);
  return bytes + padded + std::string(payload, '\0');
}

std::string rows(int count, const std::string& row) {
  std::string text;
  for (int i = 0; i < count; ++i) text += row;
  return text;
}

TEST(Errors, MissingFile) {
  const Outcome outcome = priorfit({"recommend", "no/such/file.csv"});
  EXPECT_EQ(outcome.code, io);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no/such/file.csv"), HasSubstr("there is no file")));
}

TEST(Errors, UnknownNameSuggestsTheNearest) {
  const Outcome outcome = priorfit({"recommend", "digist"});
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("digits"));
}

TEST(Errors, EmptyFile) { expect_refused("empty.csv", "", bad_data, {"empty.csv", "empty"}); }

TEST(Errors, RaggedRowNamesTheLine) {
  expect_refused("ragged.csv", "a,b,y\n1,2,0.5\n3,1\n2,2,0.1\n", bad_data, {"ragged.csv", "line 3", "2", "3"});
}

TEST(Errors, TextAmongNumbersOfTheTargetNamesLineColumnAndValue) {
  expect_refused("text.csv", "height,width,y\n1,2,0.5\n3,1,0.25\n2,4,tall\n", bad_data,
                 {"text.csv", "line 4", "column 3 ('y')", "tall"});
}

TEST(Errors, NanAndInfinity) {
  expect_refused("nan.csv", "a,b,y\n1,2,0.5\n3,nan,0.7\n2,2,0.1\n", bad_data, {"line 3", "('b')", "missing value"},
                 {"--missing", "error"});
  expect_refused("inf.csv", "a,b,y\n1,2,0.5\n3,inf,0.7\n2,2,0.1\n", bad_data, {"line 3", "inf"});
}

TEST(Errors, SingleClass) { expect_refused("one-class.csv", "a,y\n1,cat\n2,cat\n3,cat\n", bad_data, {"class", "cat"}); }

TEST(Errors, ConstantTarget) {
  expect_refused("constant.csv", "a,y\n1,0.5\n2,0.5\n3,0.5\n", bad_data, {"constant"}, {"--task", "regression"});
}

TEST(Errors, OneRow) { expect_refused("one-row.csv", "a,b,y\n1,2,0.5\n", bad_data, {"1 row; at least 2"}); }

TEST(Errors, UnknownTargetColumnSuggestsTheNearest) {
  expect_refused("t.csv", "height,weight,price\n1,2,0.5\n3,1,0.25\n2,7,0.1\n", usage, {"wieght", "'weight'"},
                 {"--target", "wieght"});
}

TEST(Errors, NpyOfObjects) {
  const Scratch scratch;
  const std::string y = scratch.file("y.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 16));
  expect_refused("objects.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }", 32), bad_data,
                 {"objects.npy", "object"}, {"--targets", y});
}

TEST(Errors, NpyOfWrongSize) {
  const Scratch scratch;
  const std::string y = scratch.file("y.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 16));
  expect_refused("short.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", 24), bad_data,
                 {"short.npy"}, {"--targets", y});
}

TEST(Errors, TruncatedGzip) {
  const std::string whole = gzipped("a,b,y\n" + rows(500, "1,2,0.5\n3,1,0.25\n"));
  expect_refused("cut.csv.gz", whole.substr(0, whole.size() / 2), bad_data, {"cut.csv.gz"});
}

TEST(Errors, TruncatedIdx) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("idx"));
  const std::string images(
      "\0\0\x08\x03\0\0\0\x0a\0\0\0\x02\0\0\0\x02"
      "abc",
      19),
      labels(
          "\0\0\x08\x01\0\0\0\x0a"
          "a",
          9);
  scratch.file("idx/train-images-idx3-ubyte", images);
  scratch.file("idx/train-labels-idx1-ubyte", labels);
  const Outcome outcome = priorfit({"recommend", scratch.path("idx")});
  EXPECT_EQ(outcome.code, bad_data) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("train-images-idx3-ubyte"));
}

TEST(Errors, ImpossibleVariances) {
  expect_flags_refused({"--weight-variances", "1,-2"}, usage, {"--weight-variances", "-2"});
  expect_flags_refused({"--weight-variances", "0"}, usage, {"--weight-variances", "0"});
  expect_flags_refused({"--bias-variances", "-1"}, usage, {"--bias-variances", "-1"});
  expect_flags_refused({"--noise", "-1e-3"}, usage, {"noise", "-0.001"});
  expect_flags_refused({"--weight-variances", "1,two"}, usage, {"--weight-variances", "'two'"});
  expect_flags_refused({"--weight-variances", "2,1"}, usage, {"ascend"});
}

TEST(Errors, MoreSamplesThanRows) {
  const Outcome outcome = priorfit({"recommend", "digits", "--samples", "5000"});
  EXPECT_EQ(outcome.code, usage);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("5000"), HasSubstr("1797")));
}

TEST(Errors, OutputFolderThatCannotBeWritten) {
  const Scratch scratch;
  const std::string blocked = scratch.file("a-file", "");
  expect_flags_refused({"--out", blocked + "/below"}, io, {"a-file/below"});
  EXPECT_EQ(read_all(blocked), "");
}

TEST(Errors, UnknownFlagsCommandsAndValuesSuggestTheNearest) {
  expect_flags_refused({"--nosie", "1e-3"}, usage, {"--nosie", "'--noise'"});
  expect_flags_refused({"--format", "jsn"}, usage, {"'json'"});
  expect_flags_refused({"--activation", "rleu"}, usage, {"'relu'"});
  expect_flags_refused({"--preprocess", "standardise"}, usage, {"'standardize'"});
  expect_flags_refused({"--task", "regresion"}, usage, {"'regression'"});
  expect_flags_refused({"--grid", "papr"}, usage, {"paper"});
  expect_flags_refused({"--depth", "0"}, usage, {"depth", "at least 1"});
  const Outcome command = priorfit({"recomend"});
  EXPECT_EQ(command.code, usage);
  EXPECT_THAT(command.err, HasSubstr("'recommend'"));
}

// Before the data is read, which may take long: here there is none.
TEST(Errors, ANetworkThatCannotBeIsRefusedFirst) {
  const Scratch scratch;
  const std::vector<std::vector<std::string>> commands = {
      {"recommend", "no/such.csv"},
      {"train", "no/such.csv"},
      {"predict", "no/such.csv"},
      {"kernel", "no/such.csv", "--out", scratch.path("k.npy")},
      {"experiment", "--data", "no/such.csv", "--sizes", "10", "--out", scratch.path("e")}};
  const std::vector<std::vector<std::string>> mistakes = {
      {"--activation", "foo"}, {"--depth", "0"}, {"--depth", "10001"}, {"--depth", "1000000000000000"}};
  for (const std::vector<std::string>& words : commands) {
    for (const std::vector<std::string>& mistake : mistakes) {
      std::vector<std::string> all = words;
      all.insert(all.end(), mistake.begin(), mistake.end());
      const Outcome outcome = priorfit(all);
      EXPECT_EQ(outcome.code, usage) << words[0] << " " << mistake[1] << ": " << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr(mistake[1]));
    }
  }
}

TEST(Errors, HopelessCovarianceIsNumerical) {
  const Scratch scratch;
  const std::string file = scratch.file("huge.csv", "1e200,1\n2e200,2.5\n-1e200,3.7\n");
  const Outcome outcome = priorfit({"recommend", file, "--preprocess", "none"});
  EXPECT_EQ(outcome.code, numerical) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("double precision"));
}

TEST(Errors, HelpAndVersionAreNoErrors) {
  EXPECT_EQ(priorfit({"--help"}).code, 0);
  EXPECT_THAT(priorfit({"recommend", "--help"}).out, HasSubstr("--weight-variances"));
  EXPECT_THAT(priorfit({"--version"}).out, HasSubstr("priorfit 0."));
  for (const char* command : {"recommend", "train", "predict", "kernel", "experiment", "init"}) {
    const std::string help = priorfit({command, "--help"}).out;
    EXPECT_THAT(help, AllOf(HasSubstr("softplus"), HasSubstr("leaky_relu:0.2"))) << command;
  }
}

}  // namespace
}  // namespace priorfit::cli
