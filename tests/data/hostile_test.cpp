// Small files that ask for much: docs/reliability.md promises 2 s and 2 × size + 64 MB beside the program itself.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "helpers.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::Scratch;

// A sanitizer surrounds what is allocated and keeps what is freed: its memory and time are not the program's.
#if defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif

struct Cost {
  double seconds = 0.0;  // of processors
  double megabytes = 0.0;
  int status = 0;
};

Cost cost_of(std::vector<std::string> words) {
  words.insert(words.begin(), PRIORFIT_BINARY);
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(PRIORFIT_BINARY, arguments.data());
    _exit(127);
  }
  Cost cost;
  rusage usage{};
  wait4(child, &cost.status, 0, &usage);
  const auto seconds = [](const timeval& time) { return double(time.tv_sec) + 1e-6 * double(time.tv_usec); };
  cost.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  cost.megabytes = double(usage.ru_maxrss) / 1024.0;
  return cost;
}

/// `fields` of a table, of 8 bytes each, are on top.
void expect_bounded(const std::string& file, const std::vector<std::string>& more = {}, double fields = 0) {
  const Cost alone = cost_of({"--version"});
  std::vector<std::string> words = {"data", file};
  words.insert(words.end(), more.begin(), more.end());
  const Cost cost = cost_of(words);
  ASSERT_TRUE(WIFEXITED(cost.status));
  EXPECT_LT(WEXITSTATUS(cost.status), 5) << "neither read nor refused";
  if (sanitized) return;
  const double size = double(std::filesystem::file_size(file)) / 1e6;
  EXPECT_LT(cost.seconds, 2.0);
  EXPECT_LT(cost.megabytes - alone.megabytes, 2 * size + 64 + 8e-6 * fields);
  ::testing::Test::RecordProperty("megabytes", std::to_string(cost.megabytes - alone.megabytes));
}

std::string npy(const std::string& shape, std::size_t bytes, const char* order = "False") {
  std::string header = "{'descr': '<f8', 'fortran_order': " + std::string(order) + ", 'shape': (" + shape + "), }";
  header.resize((header.size() + 12) / 64 * 64 + 64 - 12 - 1, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += {'\x02', '\0'};
  for (int byte = 0; byte < 4; ++byte) file += static_cast<char>(header.size() >> (8 * byte) & 0xFF);
  return file + header + std::string(bytes, '\0');
}

std::string gzipped(const std::string& path, const std::string& text) {
  const gzFile file = gzopen(path.c_str(), "wb9");
  for (std::size_t at = 0; at < text.size(); at += 1 << 20) {
    gzwrite(file, text.data() + at, static_cast<unsigned>(std::min<std::size_t>(1 << 20, text.size() - at)));
  }
  gzclose(file);
  return path;
}

TEST(Hostile, TenThousandTextClasses) {
  const Scratch folder;
  std::string text = "x,y\n";
  for (int i = 0; i < 20000; ++i) text += std::to_string(i % 97) + ".5,class" + std::to_string(i / 2) + "\n";
  expect_bounded(folder.file("classes.csv", text));
}

TEST(Hostile, ThirtyTwoThousandDimensions) {
  const Scratch folder;
  std::string shape = "2";
  for (int i = 0; i < 31999; ++i) shape += ", 1";
  const std::string x = folder.file("x.npy", npy(shape, 16, "True"));
  expect_bounded(x, {"--targets", x});
}

TEST(Hostile, ALittleGzipOfMuch) {
  const Scratch folder;
  const std::string array = npy("12500000, 1", 100000000);
  expect_bounded(gzipped(folder.path("x.npy"), array), {"--targets", folder.path("x.npy")});
  std::string zeros = "a,b,y\n";
  for (int i = 0; i < 8000000; ++i) zeros += "0,0,0\n";
  expect_bounded(gzipped(folder.path("t.csv.gz"), zeros));
}

TEST(Hostile, TenMegabytesOfCommas) {
  const Scratch folder;
  expect_bounded(folder.file("commas.csv", std::string(10000000, ',')));
  std::string lines;
  for (int i = 0; i < 160; ++i) lines += std::string(62500, ',') + "\n";
  expect_bounded(folder.file("lines.csv", lines), {}, 1e7);
}

TEST(Hostile, ManyColumnsOfText) {
  const Scratch folder;
  std::string text;
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 10000; ++column) text += "t" + std::to_string(row * column % 1000) + ",";
    text += "x\n";
  }
  expect_bounded(folder.file("texts.csv", text));
}

TEST(Hostile, AQuoteThatIsNeverClosed) {
  const Scratch folder;
  std::string text = "a,b,y\n";
  for (int i = 0; i < 400000; ++i) text += "1,\"2,3\n";
  expect_bounded(folder.file("quotes.csv", text));
}

}  // namespace
}  // namespace priorfit
