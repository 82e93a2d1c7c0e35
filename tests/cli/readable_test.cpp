// What people read: within 100 columns, without colour where nobody sees it, markdown that is markdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/process.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

std::vector<Words> commands() {
  return {{"recommend", "digits", "--samples", "60", "--criterion", "evidence"},
          {"recommend", "digits", "--samples", "60", "--grid", "paper"},
          {"recommend", "digits", "--samples", "60", "--pilots", "0"},
          {"recommend", "digits", "--samples", "60", "--pilots", "0", "--details"},
          {"recommend", "digits", "--samples", "60", "--criterion", "trained-risk"},
          {"recommend", "digits", "--samples", "60", "--criterion", "trained-risk", "--untie-output"},
          {"recommend", "digits", "--samples", "40", "--depth", "3", "--per-layer"},
          {"recommend", "digits", "--samples", "60", "--weight-variances", "1,2", "--bias-variances",
           "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,1.1,1.2", "--noise", "fit"},
          {"predict", "digits", "--samples", "60"},
          {"train", "digits", "--samples", "60", "--epochs", "1", "--width", "8"},
          {"phase", "--weight-variances", "1,2", "--bias-variances", "0,0.1"},
          {"phase", "--activation", "gelu"},
          {"phase", "--weight-variances", "1,1.1,1.2,1.3,1.4,1.5,1.6,1.7,1.8,1.9,2,2.1,2.2,2.3,2.4,2.5,2.6,2.7,2.8"},
          {"simulate", "--seeds", "1"},
          {"data"},
          {"data", "digits"}};
}

std::size_t columns_of(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Lines to paste and paths are as long as they have to be.
TEST(Readable, TablesFit100ColumnsAndHaveNoColourInAFile) {
  for (Words words : commands()) {
    if (words[0] != "data") words.push_back("--quiet");
    const Outcome outcome = priorfit(words);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("\033")));
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("    ")) {
        EXPECT_LE(columns_of(line), 100u) << testing::PrintToString(words) << line;
      }
    }
  }
}

TEST(Readable, ColourIsForTerminalsAndNoColorIsHeeded) {
  const std::string asked =
      std::string(PRIORFIT_BINARY) + " recommend digits --samples 60 --criterion evidence --quiet";
  const auto on_terminal = [&](const std::string& settings) {
    return run_program({"env", "TERM=xterm", "script", "-qec", settings + " " + asked, "/dev/null"}).out;
  };
  if (run_program({"script", "-qec", "true", "/dev/null"}).code != 0) GTEST_SKIP() << "no script(1) here";
  EXPECT_THAT(on_terminal("env"), HasSubstr("\033[1m"));
  EXPECT_THAT(on_terminal("env NO_COLOR=1"), Not(HasSubstr("\033[1m")));
  EXPECT_THAT(on_terminal("env TERM=dumb"), Not(HasSubstr("\033[1m")));
}

/// Bars that part cells.
std::ptrdiff_t bars(const std::string& line) {
  std::ptrdiff_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i) count += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
  return count;
}

bool is_rule(const std::string& line) {
  return line.starts_with("| --") && line.find_first_not_of("|-: ") == std::string::npos;
}

// Nothing is aligned by blanks or put into a block of text, but for lines of Python; every table has its line of dashes
// below its head and as many cells in each row, and stands between blank lines.
void expect_markdown(const Words& words, const std::string& text) {
  SCOPED_TRACE(testing::PrintToString(words));
  bool code = false;
  std::vector<std::string> lines = {""};
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::ptrdiff_t width = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string &line = lines[i], &before = lines[i - 1];
    if (line.starts_with("```")) {
      code = !code;
      EXPECT_TRUE(!code || line == "```python") << line;
      continue;
    }
    if (code) continue;
    EXPECT_FALSE(line.starts_with(" ")) << line;
    if (!line.starts_with("|")) {
      EXPECT_EQ(line.find("   "), std::string::npos) << line;
      EXPECT_TRUE(line.empty() || !before.starts_with("|")) << line;
      continue;
    }
    if (!before.starts_with("|")) {
      EXPECT_EQ(before, "") << line;
      ASSERT_LT(i + 1, lines.size());
      EXPECT_TRUE(is_rule(lines[i + 1])) << lines[i + 1];
      width = bars(line);
    }
    EXPECT_EQ(bars(line), width) << line;
  }
  EXPECT_FALSE(code);
}

TEST(Readable, MarkdownIsMarkdown) {
  const Scratch scratch;
  std::vector<Words> all = commands();
  all.push_back({"experiment", "--data", "digits", "--sizes", "60", "--seeds", "1", "--epochs", "1", "--width", "8",
                 "--weight-variances", "1,2", "--bias-variances", "0", "--out", scratch.path("e")});
  all.push_back({"data", scratch.file("bars.csv", "a|b,c<d,y\n1,x|y,1\n2,z,2\n3,x|y,3\n4,z,5\n5,z,1\n")});
  for (Words words : all) {
    words.insert(words.end(), {"--format", "markdown"});
    if (words[0] != "data") words.push_back("--quiet");
    const Outcome outcome = priorfit(words);
    ASSERT_EQ(outcome.code, 0) << testing::PrintToString(words) << outcome.err;
    EXPECT_GT(outcome.out.size(), 50u);
    expect_markdown(words, outcome.out);
  }
}

}  // namespace
}  // namespace priorfit::cli
