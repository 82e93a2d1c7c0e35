// Text tables, from bytes to columns.
#include "data/text_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cmath>

#include "arrays/npy.hpp"
#include "data/json_lines.hpp"
#include "priorfit/dataset.hpp"
#include "tables.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::expect_error;
using test::load_text;
using test::Scratch;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string fixture(const std::string& name) { return std::string(PRIORFIT_FIXTURES) + "/tables/" + name; }

TEST(ReadTable, TakesTheLastColumnAsTarget) {
  const Dataset data = load_text("7,2,3\n4,5,6\n");
  EXPECT_EQ(data.train.inputs, (Matrix(2, 2) << 7, 2, 4, 5).finished());
  EXPECT_EQ(data.train.targets, (Matrix(2, 1) << 3, 6).finished());
  EXPECT_EQ(data.target_name, "column 3");
  EXPECT_TRUE(data.feature_names.empty());
  EXPECT_THAT(data.notes, Contains(HasSubstr("target is column 3, the last column")));
}

TEST(ReadTable, TakesATargetByNameOrNumber) {
  for (const char* target : {"b", "2"}) {
    const Dataset data = load_text("a,b,c\n1,2,3\n4,5,6\n", {}, Task::regression, target);
    EXPECT_EQ(data.train.inputs, (Matrix(2, 2) << 1, 3, 4, 6).finished());
    EXPECT_EQ(data.train.targets, (Matrix(2, 1) << 2, 5).finished());
    EXPECT_THAT(data.feature_names, ElementsAre("a", "c"));
  }
  // A header may hold numbers; a name is looked for first.
  EXPECT_EQ(load_text("2,x,1\n4,5,6\n3,2,1\n", {}, Task::regression, "1").train.targets(0, 0), 6);
}

TEST(ReadTable, ReadsQuotedCsvOfPython) {
  const Dataset data = load_dataset({.source = fixture("quoted.csv")});
  EXPECT_EQ(data.train.inputs.rows(), 21);
  EXPECT_EQ(data.train.inputs(1, 0), 7.0);
  EXPECT_THAT(data.feature_names, ElementsAre("sepal, length", "sepal \"width\""));
  EXPECT_EQ(data.target_name, "species");
  EXPECT_THAT(data.output_names, Contains("ver,si\"color\""));
  EXPECT_THAT(data.output_names, Contains("two\nlines"));
}

TEST(ReadTable, ReadsWhatNumpySavesAsText) {
  FileSource file(fixture("grid.npy"));
  const Matrix grid = read_npy(file).values;
  for (const char* name : {"savetxt.txt", "savetxt.tsv", "savetxt.csv.gz"}) {
    const Dataset data = load_dataset({.source = fixture(name), .task = Task::regression});
    EXPECT_EQ(data.train.inputs, grid.leftCols(3)) << name;
    EXPECT_EQ(data.train.targets, grid.col(3)) << name;
  }
}

TEST(ReadTable, ReadsTablesWithMixedTabsBlanksAndATrailingBlankLine) {
  const Dataset data = load_text("540.0 \t0.0 \t28 \t79.99 \n332.5 \t142.5 \t270 \t40.27 \n\n");
  EXPECT_EQ(data.train.inputs, (Matrix(2, 3) << 540, 0, 28, 332.5, 142.5, 270).finished());
  EXPECT_EQ(data.train.targets(1, 0), 40.27);
}

TEST(ReadTable, ReadsDecimalCommas) {
  const Dataset tabs = load_text("1,5\t2,25\n2,5\t3,5\n");
  EXPECT_EQ(tabs.train.inputs, (Matrix(2, 1) << 1.5, 2.5).finished());
  EXPECT_EQ(tabs.train.targets(1, 0), 3.5);
  EXPECT_EQ(load_text("1,5;2\n4,5;5\n").train.inputs(1, 0), 4.5);
  EXPECT_EQ(load_text("15;2\n45;5\n", {.decimal = ','}).train.inputs(1, 0), 45);
}

TEST(ReadTable, IsTheSameInManyPartsAndInOne) {
  // Large enough for several chunks, with quotes, blank lines and a level that comes late.
  for (const bool quotes : {false, true}) {
    std::string text;
    const int rows = 60000;
    for (int i = 0; i < rows; ++i) {
      const std::string name = i < 50000 ? (i % 2 == 0 ? "even" : "odd") : "late";
      text += std::to_string(i * 7 % 1001) + ".25," + (quotes ? "\"" + name + "\"" : name) + "," +
              std::to_string(i % 13) + "\n" + (i % 1000 == 0 ? "\n" : "");
    }
    const Dataset data = load_text(text);
    ASSERT_EQ(data.train.size(), rows);
    EXPECT_THAT(data.columns[1].levels, ElementsAre("even", "odd", "late"));
    for (int i = 0; i < rows; ++i) {
      ASSERT_EQ(data.train.inputs(i, 0), i * 7 % 1001 + 0.25);
      ASSERT_EQ(data.train.inputs(i, 1), i < 50000 ? i % 2 : 2);
      ASSERT_EQ(data.train.targets(i, 0), i % 13);
    }
  }
}

TEST(ReadTable, ReportsARaggedRow) {
  expect_error(
      ErrorKind::data, [] { load_text("a,b,c\n1,2,3\n4,5\n6,7,8\n"); }, "t.csv, line 3", "2 fields", "3 are expected");
  expect_error(
      ErrorKind::data, [] { load_text("1 2 3\n4 5 6\n1 2 3 4\n"); }, "t.csv, line 3", "4 fields");
}

TEST(ReadTable, ReportsWhatIsNotFinite) {
  for (const char* value : {"inf", "-Infinity", "1e999"}) {
    const std::string text = std::string("1,2,3\n") + value + ",5,6\n";
    expect_error(
        ErrorKind::data, [&] { load_text(text); }, "line 2", "column 1", value, "not a finite number");
  }
}

TEST(ReadTable, ReportsOpenQuotesAndStrayText) {
  expect_error(
      ErrorKind::data, [] { load_text("1,2\n3,\"open\n4,5\n"); }, "line 2", "never closed");
  expect_error(
      ErrorKind::data, [] { load_text("1,2\n\"a\"b,5\n"); }, "line 2", "follows the closing quote");
  expect_error(
      ErrorKind::data, [] { load_text(std::string_view("1\0,\0", 4)); }, "zero bytes");
}

TEST(ReadTable, ReportsAColumnThatDoesNotExist) {
  expect_error(
      ErrorKind::usage, [] { load_text("age,quality\n1,2\n", {}, {}, "qualty"); }, "no target column 'qualty'",
      "did you mean 'quality'?", "age, quality");
  expect_error(
      ErrorKind::usage, [] { load_text("1,2\n3,4\n", {}, {}, "3"); }, "'3'", "from 1 to 2");
  expect_error(
      ErrorKind::usage, [] { load_text("1,2\n3,4\n", {}, {}, "0"); }, "from 1 to 2");
  expect_error(
      ErrorKind::usage, [] { load_text("height,y\n1,2\n3,4\n", {.ignore = {"heigth"}}); }, "did you mean 'height'?");
}

TEST(ReadTable, ReportsFilesWithoutRowsOrColumns) {
  expect_error(
      ErrorKind::data, [] { load_text(""); }, "the file is empty");
  expect_error(
      ErrorKind::data, [] { load_text(" \n\n# only a comment\n"); }, "the file is empty");
  expect_error(
      ErrorKind::data, [] { load_text("a,b,c\n"); }, "a header and no rows");
  expect_error(
      ErrorKind::data, [] { load_text("1\n2\n3\n"); }, "line 1", "one column");
  expect_error(
      ErrorKind::data, [] { load_dataset({.source = fixture("truncated.csv.gz")}); }, "cut short");
}

TEST(ReadTable, RefusesMoreColumnsThanMakeSense) {
  expect_error(
      ErrorKind::data, [] { load_text(std::string(100000, ',') + "\n" + std::string(100000, ',')); }, "100001 columns",
      "at most 65536");
}

TEST(ReadTable, SaysWhatOtherFormatsAre) {
  const Scratch folder;
  const auto refused = [&](std::string_view bytes, const std::string& what, const std::string& remedy) {
    const std::string path = folder.file("t.bin", bytes);
    expect_error(
        ErrorKind::data, [&] { load_dataset({.source = path}); }, what, remedy);
  };
  refused("PAR1....", "Parquet", "pandas.read_parquet");
  refused("ARROW1..", "Feather", "pandas.read_feather");
  refused("\x80\x04\x95 pickled", "pickle", "if you trust it");
  refused("\x89PNG\r\n....", "picture", "folder");
}

TEST(ReadTable, ReadsJsonLines) {
  const Dataset data = load_text(
      "{\"size\": 1.5, \"colour\": \"red, dark\", \"sold\": true, \"y\": 3}\n\n"
      "{\"size\": null, \"colour\": \"say \\\"hi\\\"\", \"y\": 4, \"sold\": false}\n"
      "{\"size\": 2, \"colour\": \"red, dark\", \"sold\": true, \"y\": 5}\n",
      {}, Task::regression, "y");
  EXPECT_THAT(data.feature_names, ElementsAre("size", "colour", "sold"));
  EXPECT_TRUE(std::isnan(data.train.inputs(1, 0)));
  EXPECT_THAT(data.columns[1].levels, ElementsAre("red, dark", "say \"hi\""));
  EXPECT_EQ(data.columns[2].kind, ColumnKind::boolean);
  EXPECT_EQ(data.train.inputs(2, 2), 1.0);
  expect_error(
      ErrorKind::data, [] { load_text("{\"a\": [1, 2], \"y\": 1}\n"); }, "line 1", "'a' holds an array");
  expect_error(
      ErrorKind::data, [] { load_text("{\"a\": 1, \"y\": 1}\n{\"a\": 2,\n"); }, "line 2", "not a JSON object");
  expect_error(
      ErrorKind::data, [] { load_text("{\"a\": 1, \"y\": 1}\n{\"a\": 2, \"a\": 3, \"y\": 1}\n"); }, "line 2",
      "'a' is there twice");
}

// A first look at a table takes 64 kB, which the names alone may fill.
TEST(ReadTable, ReadsRowsBehindLongNames) {
  std::string names = "y", rows;
  for (int i = 0; i < 9'000; ++i) names += ",a_long_name_" + std::to_string(i);
  for (int row = 0; row < 30; ++row) {
    rows += '\n' + std::to_string(row);
    for (int i = 0; i < 9'000; ++i) rows += ',' + std::to_string((row * i) % 17);
  }
  const Dataset data = load_text(names + rows + '\n', {}, Task::regression, "y");
  EXPECT_EQ(data.train.size(), 30);
  EXPECT_EQ(data.feature_names.back(), "a_long_name_8999");
}

// The JSON library looks through all names for each new one: 8 s for this line.
TEST(JsonLines, ManyNamesTakeLittleTime) {
  std::string line = "{\"y\": 1";
  for (int i = 0; i < 50'000; ++i) line += ",\"k" + std::to_string(i) + "\": 2";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NO_THROW(is_json_lines(line + "}\n"));
  EXPECT_LT(json_lines_table(line + "}\n", "x").size(), 2'000'000U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
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
  const internal::TextTable table = internal::read_text_table(
      text, "t.csv", {.no_header = true}, [](const TableDialect&, std::vector<internal::TextColumn>&) {});
  RC_ASSERT(table.rows == rows);
  RC_ASSERT(std::equal(values.data(), values.data() + values.size(), table.values.data()));
}

}  // namespace
}  // namespace priorfit
