// Tables for a terminal and in Markdown.
#include "support/word_table.hpp"

#include <gtest/gtest.h>

namespace priorfit::internal {
namespace {

const WordTable small{.alignment = "lr",
                      .rows = {{"start", "σ_w²", "loss"}, {"He", "2", "0.125"}, {"LeCun", "1", "3"}}};

TEST(WordTable, IsAlignedByColumns) {
  EXPECT_EQ(aligned(small, 2),
            "  start  σ_w²   loss\n"
            "  He        2  0.125\n"
            "  LeCun     1      3\n");
}

TEST(WordTable, SplitsWhatIsTooWide) {
  EXPECT_EQ(aligned(small, 0, 12),
            "start  σ_w²\n"
            "He        2\n"
            "LeCun     1\n"
            "\n"
            "start   loss\n"
            "He     0.125\n"
            "LeCun      3\n");
}

TEST(WordTable, GivesNamesALineThatLeaveNoRoom) {
  const std::string name = "recommended (2, 0 | 2, 0 | 2, 0 | 2, 0 | 2, 0 | 2, 0)";
  EXPECT_EQ(aligned({"lr", {{"start", "loss"}, {name, "1"}}}, 2, 57),
            "  start" + std::string(39, ' ') + "  loss\n  " + name + "\n" + std::string(46, ' ') + "     1\n");
  EXPECT_EQ(aligned({"lr", {{"start", "loss"}, {name, "1"}}}, 0),
            "start" + std::string(name.size() - 5, ' ') + "  loss\n" + name + "     1\n");
}

TEST(WordTable, EndsAShortRowInARemark) {
  EXPECT_EQ(aligned({"lrr", {{"start", "a", "b"}, {"He", "1", "2"}, {"LeCun", "not positive definite"}}}, 0),
            "start  a  b\n"
            "He     1  2\n"
            "LeCun  not positive definite\n");
}

TEST(WordTable, IsMarkdown) {
  EXPECT_EQ(markdown({"lr", {{"a|b", "c"}, {"<x>", "1"}, {"z"}}}),
            "| a\\|b | c |\n"
            "| --- | ---: |\n"
            "| \\<x> | 1 |\n"
            "| z |  |\n");
  EXPECT_EQ(paragraphs("one\n  two\n\nthree"), "one\n\ntwo\n\nthree\n\n");
}

TEST(WordTable, OfNothingIsNothing) {
  EXPECT_EQ(aligned({}), "");
  EXPECT_EQ(markdown({}), "");
}

}  // namespace
}  // namespace priorfit::internal
