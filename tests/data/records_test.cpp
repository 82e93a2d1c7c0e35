#include "data/records.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "helpers.hpp"

namespace priorfit {
namespace {

using test::expect_error;
using Fields = std::vector<std::string>;

std::vector<Fields> read_records(std::string_view text) {
  MemorySource source(text, "t.csv");
  RecordReader reader(source);
  std::vector<Fields> records;
  while (reader.next()) records.emplace_back(reader.fields().begin(), reader.fields().end());
  return records;
}

TEST(DetectDelimiter, ChoosesWhatSplitsLinesAlike) {
  EXPECT_EQ(detect_delimiter("1,2,3\n4,5,6\n"), Delimiter::comma);
  EXPECT_EQ(detect_delimiter("1, 2, 3\n4, 5, 6\n"), Delimiter::comma);
  EXPECT_EQ(detect_delimiter("1;2;3\n4;5;6\n"), Delimiter::semicolon);
  EXPECT_EQ(detect_delimiter("1,5;2,5\n3,5;4,5\n"), Delimiter::semicolon);
  EXPECT_EQ(detect_delimiter("a b\tc\n1\t2\n"), Delimiter::tab);
  EXPECT_EQ(detect_delimiter("1\t\t3\n4\t5\t6\n"), Delimiter::tab);
  EXPECT_EQ(detect_delimiter("1 2 3\n4 5 6\n"), Delimiter::blanks);
  EXPECT_EQ(detect_delimiter("\"a;b\",2\n\"c\",3\n"), Delimiter::comma);
}

TEST(DetectDelimiter, TakesMixedTabsAndSpacesTogether) {
  EXPECT_EQ(detect_delimiter("540.0 \t0.0 \t28 \n332.5 \t142.5 \t7\n"), Delimiter::blanks);
  EXPECT_EQ(detect_delimiter("1 2\t3\n4 5\t6\n"), Delimiter::blanks);
  EXPECT_EQ(detect_delimiter("1\t2\t\n3\t4\t\n"), Delimiter::blanks);
  EXPECT_EQ(detect_delimiter("1\tyes\t\n3\tno\t\n"), Delimiter::blanks);
  EXPECT_EQ(detect_delimiter("red car\t1\t2\nblue car\t3\t4\n"), Delimiter::tab);
}

TEST(Records, EndInAnyWay) {
  const std::vector<Fields> expected = {{"1", "2"}, {"3", "4"}};
  EXPECT_EQ(read_records("1,2\n3,4\n"), expected);
  EXPECT_EQ(read_records("1,2\r\n3,4\r\n"), expected);
  EXPECT_EQ(read_records("1,2\n3,4"), expected);
  EXPECT_EQ(read_records("1,2\n\n3,4\n  \n\n"), expected);
  EXPECT_EQ(read_records("\xEF\xBB\xBF"
                         "1,2\n3,4\n"),
            expected);
  EXPECT_EQ(read_records("# made by hand\n#\n\n1,2\n3,4\n"), expected);
  EXPECT_EQ(read_records(" 1 ,\t2 \n3 , 4\t\n"), expected);
  EXPECT_EQ(read_records("  1   2 \n 3\t4  \n"), expected);
  EXPECT_EQ(read_records(""), std::vector<Fields>{});
}

TEST(Records, KeepEmptyFields) {
  EXPECT_EQ(read_records("1,,3\n,5,\n"), (std::vector<Fields>{{"1", "", "3"}, {"", "5", ""}}));
  EXPECT_EQ(read_records("1\t\t3\n4\t5\t\n4\t5\t6\n"),
            (std::vector<Fields>{{"1", "", "3"}, {"4", "5", ""}, {"4", "5", "6"}}));
}

TEST(Records, UndoQuotes) {
  EXPECT_EQ(read_records("\"a,b\",\"say \"\"hi\"\"\", \"\"\n1,5\" pipe,x\n"),
            (std::vector<Fields>{{"a,b", "say \"hi\"", ""}, {"1", "5\" pipe", "x"}}));
  EXPECT_EQ(read_records("\"two\nlines\",1\r\n\"b\",2\r\n"), (std::vector<Fields>{{"two\nlines", "1"}, {"b", "2"}}));
  EXPECT_EQ(read_records("\"a b\" 1\n\"c\"   2 \n"), (std::vector<Fields>{{"a b", "1"}, {"c", "2"}}));
  EXPECT_EQ(read_records("\"x\",\n\"y\",2\n"), (std::vector<Fields>{{"x", ""}, {"y", "2"}}));
}

TEST(Records, KnowTheirLines) {
  MemorySource source("# comment\n\"two\nlines\",1\n\nb,2\n", "t.csv");
  RecordReader reader(source);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 2);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 5);
  EXPECT_FALSE(reader.next());
}

TEST(Records, LongerThanTheBufferAreWhole) {
  const std::string wide(3 << 20, '7');
  const auto records = read_records(fmt::format("1,2\n{0},2\n\"{0}\n{0}\",3\n", wide));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[1], (Fields{wide, "2"}));
  EXPECT_EQ(records[2], (Fields{wide + "\n" + wide, "3"}));
}

TEST(Records, ReportOpenQuotesAndStrayText) {
  expect_error(
      ErrorKind::data, [] { read_records("1,2\n3,\"open\n4,5\n"); }, "t.csv, line 2", "never closed");
  expect_error(
      ErrorKind::data, [] { read_records("1,2\n\"a\"b,5\n"); }, "t.csv, line 2", "follows the closing quote");
  expect_error(
      ErrorKind::data, [] { read_records(std::string_view("1\0,\0", 4)); }, "zero bytes", "UTF-16");
}

std::string quote(const std::string& field) {
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

RC_GTEST_PROP(Records, ReadBackWhatWasQuoted, ()) {
  const auto columns = *rc::gen::inRange<std::size_t>(2, 6);
  const auto field = rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab1 ,;\t\"\n#.")));
  const auto table =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<Fields>>(rc::gen::container<Fields>(columns, field)));
  std::string text;
  for (const Fields& row : table) {
    for (std::size_t c = 0; c < columns; ++c) text += fmt::format("{}{}", c > 0 ? "," : "", quote(row[c]));
    text += *rc::gen::element(std::string("\n"), std::string("\r\n"));
  }
  RC_ASSERT(read_records(text) == table);
}

}  // namespace
}  // namespace priorfit
