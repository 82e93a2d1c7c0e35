#include "data/dialect.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace priorfit::internal {
namespace {

using Fields = std::vector<std::string>;

TableDialect detect(std::string_view text) { return detect_dialect(text, {}); }

std::vector<Fields> split(std::string_view text, char separator, char quote = '"') {
  RecordSplitter splitter(text, separator, quote);
  std::vector<Fields> records;
  for (Fields fields; splitter.next(fields);) records.push_back(fields);
  return records;
}

TEST(Dialect, FindsTheSeparator) {
  EXPECT_EQ(detect("a,b\n1,2\n").separator, ',');
  EXPECT_EQ(detect("1;2;3\n4;5;6\n").separator, ';');
  EXPECT_EQ(detect("1\t2\n3\t4\n").separator, '\t');
  EXPECT_EQ(detect("1|2\n3|4\n").separator, '|');
  EXPECT_EQ(detect(" 1   2 3\n4 5  6\n").separator, ' ');
  EXPECT_EQ(detect("39, State-gov, 77516\n50, Self-emp, 83311\n").separator, ',');
  EXPECT_EQ(detect("2020-01-01 10:00,5\n2020-01-02 11:00,6\n").separator, ',');
  EXPECT_EQ(detect("a b\t1\nc d\t2\n").separator, '\t');
}

TEST(Dialect, FindsTheDecimalMark) {
  const TableDialect semicolons = detect("1,5;2;3\n4,5;5;6\n");
  EXPECT_EQ(semicolons.separator, ';');
  EXPECT_EQ(semicolons.decimal, ',');
  const TableDialect tabs = detect("1,5\t2,25\n2,5\t3,5\n");
  EXPECT_EQ(tabs.separator, '\t');
  EXPECT_EQ(tabs.decimal, ',');
  EXPECT_FALSE(tabs.header);
  EXPECT_EQ(detect("1,5\n2,7\n").separator, ',');
  EXPECT_EQ(detect("1.5;2\n2.5;3\n").decimal, '.');
}

TEST(Dialect, FindsQuotes) {
  EXPECT_EQ(detect("'40-49','no'\n'50-59','yes'\n").quote, '\'');
  EXPECT_EQ(detect("\"a\",\"b\"\n1,2\n").quote, '"');
  EXPECT_EQ(detect("don't,1\nwon't,2\n").quote, '"');
}

TEST(Dialect, TellsAHeaderFromARow) {
  EXPECT_TRUE(detect("x,2\n1,2\n").header);
  EXPECT_TRUE(detect("a,class\n1,yes\n").header);
  EXPECT_TRUE(detect("name,colour\nann,red\nbob,blue\n").header);
  EXPECT_FALSE(detect("1,yes\n2,no\n").header);
  EXPECT_FALSE(detect("'40-49','no'\n'50-59','yes'\n'40-49','yes'\n").header);
  EXPECT_FALSE(detect_dialect("a,b\n1,2\n", {.no_header = true}).header);
}

TEST(Dialect, NamesTheMarkOfMissingValues) {
  EXPECT_EQ(detect("1,?,2\n?,3,NA\n").missing, "?");
  EXPECT_EQ(detect("1,,2\n2,3,4\n").missing, "");
}

TEST(Records, AreSplitAtSeparatorsOutsideOfQuotes) {
  EXPECT_EQ(split("1,,3\n,5,\n", ','), (std::vector<Fields>{{"1", "", "3"}, {"", "5", ""}}));
  EXPECT_EQ(split("\"a,b\",\"say \"\"hi\"\"\", \"\"\n1,5\" pipe,x\n", ','),
            (std::vector<Fields>{{"a,b", "say \"hi\"", ""}, {"1", "5\" pipe", "x"}}));
  EXPECT_EQ(split("\"two\nlines\",1\r\n\n b ,2\r\n", ','), (std::vector<Fields>{{"two\nlines", "1"}, {"b", "2"}}));
  EXPECT_EQ(split("  \"a b\" 1\n\"c\"   2 \n", ' '), (std::vector<Fields>{{"a b", "1"}, {"c", "2"}}));
  EXPECT_EQ(split("1\t\t3\n4\t5\t\n", '\t'), (std::vector<Fields>{{"1", "", "3"}, {"4", "5", ""}}));
  EXPECT_EQ(split("", ','), std::vector<Fields>{});
}

}  // namespace
}  // namespace priorfit::internal
