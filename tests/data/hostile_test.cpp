// Small files that ask for much: docs/reliability.md promises 2 s and 2 × size + 64 MB beside the program itself.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

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

/// Texts of 16 letters that all have one hash under libstdc++'s std::hash, which is MurmurHash64A under a fixed seed:
/// its last step can be undone, so that the second half of a text is chosen to end where all others end.
std::vector<std::string> names_of_one_hash(std::size_t count) {
  constexpr std::uint64_t m = 0xc6a4a7935bd1e995, seed = 0xc70f6907, wanted = 0x123456789abcdef1;
  std::uint64_t inverse = m;
  for (int i = 0; i < 6; ++i) inverse *= 2 - m * inverse;
  const auto shifted = [](std::uint64_t value) { return value ^ (value >> 47); };
  std::vector<std::string> names;
  std::mt19937_64 generator(1);
  while (names.size() < count) {
    std::string name(16, ' ');
    for (int i = 0; i < 8; ++i) name[std::size_t(i)] = char('a' + generator() % 26);
    std::uint64_t half = 0;
    std::memcpy(&half, name.data(), 8);
    const std::uint64_t state = ((seed ^ 16 * m) ^ shifted(half * m) * m) * m;
    half = shifted((state ^ wanted * inverse) * inverse) * inverse;
    std::memcpy(name.data() + 8, &half, 8);
    const auto plain = [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\' && c != ','; };
    if (std::all_of(name.begin(), name.end(), plain)) names.push_back(std::move(name));
  }
  return names;
}

TEST(Hostile, NamesOfOneHash) {
  const std::vector<std::string> names = names_of_one_hash(8000);
  for (const std::string& name : names) {
    ASSERT_EQ(std::hash<std::string>()(name), std::hash<std::string>()(names.front())) << "made for another library";
  }
  const Scratch folder;
  std::string lines;
  for (int row = 0; row < 16; ++row) {
    lines += '{';
    for (std::size_t i = 0; i < names.size(); ++i) {
      lines += (i > 0 ? ",\"" : "\"") + names[i] + "\":" + std::to_string((std::size_t(row) * 7 + i) % 13);
    }
    lines += "}\n";
  }
  expect_bounded(folder.file("names.jsonl", lines));
  std::string texts = "a,y\n";
  for (std::size_t i = 0; i < 5 * names.size(); ++i) texts += names[i % names.size()] + "," + std::to_string(i) + "\n";
  expect_bounded(folder.file("texts.csv", texts));
}

TEST(Hostile, NumbersOfOneSlot) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;  // by which bits of a number are often multiplied
  std::uint64_t inverse = golden;
  for (int i = 0; i < 6; ++i) inverse *= 2 - golden * inverse;
  std::string text = "x,y\n";
  char number[40];
  for (std::uint64_t i = 1, rows = 0; rows < 200000; ++i) {
    const double value = std::bit_cast<double>(i * inverse);
    if (!(std::abs(value) > 1e-200 && std::abs(value) < 1e100)) continue;
    std::snprintf(number, sizeof number, "%.17g", value);
    text += number + ("," + std::to_string(++rows % 7)) + "\n";
  }
  const Scratch folder;
  expect_bounded(folder.file("numbers.csv", text), {}, 4e5);
}

}  // namespace
}  // namespace priorfit
