#include "data/table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "arrays/npy.hpp"
#include "helpers.hpp"

namespace priorfit {
namespace {

using test::expect_error;
using ::testing::ElementsAre;

Table read_text(std::string_view text, const std::string& target = "") {
  MemorySource source(text, "t.csv");
  return read_table(source, target);
}

Table read_fixture(const std::string& name, const std::string& target = "") {
  FileSource source(std::string(PRIORFIT_FIXTURES) + "/tables/" + name);
  return read_table(source, target);
}

TEST(ReadTable, TakesTheLastColumnAsTarget) {
  const Table table = read_text("1,2,3\n4,5,6\n");
  EXPECT_EQ(table.features, (Matrix(2, 2) << 1, 2, 4, 5).finished());
  EXPECT_EQ(table.target_numbers, (Vector(2) << 3, 6).finished());
  EXPECT_EQ(table.target_name, "column 3");
  EXPECT_EQ(table.numeric_targets, 2);
  EXPECT_TRUE(table.feature_names.empty());
}

TEST(ReadTable, TakesATargetByNameOrNumber) {
  for (const char* target : {"b", "2"}) {
    const Table table = read_text("a,b,c\n1,2,3\n4,5,6\n", target);
    EXPECT_EQ(table.features, (Matrix(2, 2) << 1, 3, 4, 6).finished());
    EXPECT_EQ(table.target_numbers, (Vector(2) << 2, 5).finished());
    EXPECT_EQ(table.target_name, "b");
    EXPECT_THAT(table.feature_names, ElementsAre("a", "c"));
  }
  // A header may hold numbers; a name is looked for first.
  EXPECT_EQ(read_text("2,x,1\n4,5,6\n", "1").target_numbers[0], 6);
}

TEST(ReadTable, TellsAHeaderFromARow) {
  EXPECT_THAT(read_text("x,2\n1,2\n").feature_names, ElementsAre("x"));
  EXPECT_THAT(read_text("a,class\n1,yes\n").feature_names, ElementsAre("a"));
  EXPECT_EQ(read_text("1,yes\n2,no\n").features.rows(), 2);
  EXPECT_EQ(read_text("1,2\n").features.rows(), 1);
}

TEST(ReadTable, ReadsQuotedCsvOfPython) {
  const Table table = read_fixture("quoted.csv");
  EXPECT_EQ(table.features.rows(), 21);
  EXPECT_EQ(table.features(1, 0), 7.0);
  EXPECT_THAT(table.feature_names, ElementsAre("sepal, length", "sepal \"width\""));
  EXPECT_EQ(table.target_name, "species");
  EXPECT_EQ(table.numeric_targets, 0);
  EXPECT_THAT(std::vector(table.target_text.begin(), table.target_text.begin() + 3),
              ElementsAre("setosa", "ver,si\"color\"", "two\nlines"));
}

TEST(ReadTable, ReadsWhatNumpySavesAsText) {
  FileSource file(std::string(PRIORFIT_FIXTURES) + "/tables/grid.npy");
  const Matrix grid = read_npy(file).values;
  for (const char* name : {"savetxt.txt", "savetxt.tsv", "savetxt.csv.gz"}) {
    const Table table = read_fixture(name);
    EXPECT_EQ(table.features, grid.leftCols(3)) << name;
    EXPECT_EQ(table.target_numbers, grid.col(3)) << name;
  }
  EXPECT_EQ(read_fixture("whole.csv.gz").features.rows(), 200);
}

TEST(ReadTable, ReadsTablesWithMixedTabsBlanksAndATrailingBlankLine) {
  const Table table = read_text("540.0 \t0.0 \t28 \t79.99 \n332.5 \t142.5 \t270 \t40.27 \n\n");
  EXPECT_EQ(table.features, (Matrix(2, 3) << 540, 0, 28, 332.5, 142.5, 270).finished());
  EXPECT_EQ(table.target_numbers[1], 40.27);
}

TEST(ReadTable, ReportsARaggedRow) {
  expect_error(
      ErrorKind::data, [] { read_text("a,b,c\n1,2,3\n4,5\n6,7,8\n"); }, "t.csv, line 3", "2 fields", "3 are expected");
  expect_error(
      ErrorKind::data, [] { read_text("1 2 3\n4 5 6\n1 2 3 4\n"); }, "t.csv, line 3", "4 fields");
}

TEST(ReadTable, ReportsTextInANumericColumn) {
  expect_error(
      ErrorKind::data, [] { read_text("a,b,c\n1,2,3\n4,oops,6\n"); }, "t.csv, line 3, column 2 ('b')", "'oops'",
      "encode");
  expect_error(
      ErrorKind::data, [] { read_text("1,2,3\n4,1.5x,6\n"); }, "line 2, column 2:", "'1.5x'");
  expect_error(
      ErrorKind::data, [] { read_text("1,5;2;3\n4,5;5;6\n"); }, "'1,5'", "decimals with a point");
}

TEST(ReadTable, ReportsMissingValues) {
  for (const char* missing : {"", "NA", "nan", "NaN", "?", "null", "n/a"}) {
    const std::string text = std::string("a,b,c\n1,2,3\n4,") + missing + ",6\n";
    expect_error(
        ErrorKind::data, [&] { read_text(text); }, "t.csv, line 3, column 2 ('b')",
        std::string("missing value '") + missing + "'", "remove the row");
  }
  expect_error(
      ErrorKind::data, [] { read_text("a,b\n1,yes\n2,\n"); }, "line 3, column 2 ('b')", "missing value ''");
}

TEST(ReadTable, ReportsWhatIsNotFinite) {
  for (const char* value : {"inf", "-Infinity", "1e999"}) {
    const std::string text = std::string("1,2,3\n") + value + ",5,6\n";
    expect_error(
        ErrorKind::data, [&] { read_text(text); }, "line 2, column 1", value, "not a finite number");
  }
  expect_error(
      ErrorKind::data, [] { read_text("1,2\n3,inf\n"); }, "line 2, column 2", "not a finite number");
}

TEST(ReadTable, ReportsAColumnThatDoesNotExist) {
  expect_error(
      ErrorKind::usage, [] { read_text("age,quality\n1,2\n", "qualty"); }, "no target column 'qualty'",
      "did you mean 'quality'?", "age, quality");
  expect_error(
      ErrorKind::usage, [] { read_text("1,2\n3,4\n", "3"); }, "'3'", "from 1 to 2");
  expect_error(
      ErrorKind::usage, [] { read_text("1,2\n3,4\n", "0"); }, "from 1 to 2");
}

TEST(ReadTable, ReportsFilesWithoutRowsOrColumns) {
  expect_error(
      ErrorKind::data, [] { read_text(""); }, "t.csv: the file is empty");
  expect_error(
      ErrorKind::data, [] { read_text(" \n\n# only a comment\n"); }, "the file is empty");
  expect_error(
      ErrorKind::data, [] { read_text("a,b,c\n"); }, "a header and no rows");
  expect_error(
      ErrorKind::data, [] { read_text("1\n2\n3\n"); }, "line 1", "one column");
}

TEST(ReadTable, ReportsTruncatedGzip) {
  expect_error(
      ErrorKind::data, [] { read_fixture("truncated.csv.gz"); }, "truncated.csv.gz", "cut short");
}

TEST(ParseNumber, ReadsWhatPeopleWrite) {
  const auto parse = [](std::string_view text) {
    double value = -1;
    EXPECT_EQ(parse_number(text, value), Numeral::finite) << text;
    return value;
  };
  EXPECT_EQ(parse("1"), 1.0);
  EXPECT_EQ(parse("+1.5"), 1.5);
  EXPECT_EQ(parse("-.5"), -0.5);
  EXPECT_EQ(parse("1e-3"), 1e-3);
  EXPECT_EQ(parse("1E+3"), 1000.0);
  EXPECT_EQ(parse("1e-400"), 0.0);
  double value = 0;
  for (const char* text : {"+-1", "1 2", "0x10", "1e", "--1", "+", "one"}) {
    EXPECT_EQ(parse_number(text, value), Numeral::text) << text;
  }
}

RC_GTEST_PROP(ReadTable, ReadsBackEveryDouble, ()) {
  const auto columns = *rc::gen::inRange<Index>(2, 6);
  const auto rows = *rc::gen::inRange<Index>(1, 30);
  const char delimiter = *rc::gen::element(',', ';', '\t', ' ');
  std::string text;
  Matrix values(rows, columns);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      values(r, c) = *rc::gen::arbitrary<double>() * std::pow(10.0, *rc::gen::inRange(-200, 200));
      char digits[40];
      std::snprintf(digits, sizeof digits, "%.17g", values(r, c));
      if (c > 0) text += delimiter;
      text += digits;
    }
    text += '\n';
  }
  RC_PRE(values.allFinite());
  const Table table = read_text(text);
  RC_ASSERT(table.features == values.leftCols(columns - 1));
  RC_ASSERT(table.target_numbers == values.col(columns - 1));
}

}  // namespace
}  // namespace priorfit
