// What the columns of ordinary tables are taken for.
#include <gtest/gtest.h>

#include <cmath>

#include "data/row_notes.hpp"
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
using ::testing::Not;

/// One column of `rows` values between a first column of fractions and a target.
template <typename Value>
Column column_of(int rows, Value value, const std::string& name = "c", const TableOptions& table = {}) {
  std::string text = "x," + name + ",y\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i * 0.37 + 0.1) + "," + value(i) + "," + std::to_string(i * 0.7) + "\n";
  }
  return load_text(text, table).columns[1];
}

TEST(Columns, OfWordsAreCategories) {
  const Column column = column_of(30, [](int i) {
    return std::string(i % 3 == 0 ? "red" : i % 3 == 1 ? "blue" : "red");
  });
  EXPECT_EQ(column.kind, ColumnKind::category);
  EXPECT_THAT(column.levels, ElementsAre("red", "blue"));
  EXPECT_EQ(column.distinct, 2);
}

TEST(Columns, OfTruthValuesAreBooleans) {
  for (const char* pair : {"no yes", "False TRUE", "f t", "N Y"}) {
    const std::string words = pair;
    const std::size_t blank = words.find(' ');
    const auto word = [&](int i) { return i % 2 == 0 ? words.substr(blank + 1) : words.substr(0, blank); };
    const Column column = column_of(10, word);
    EXPECT_EQ(column.kind, ColumnKind::boolean) << pair;
    EXPECT_EQ(column.levels[0], words.substr(0, blank)) << pair;
  }
  EXPECT_EQ(column_of(10, [](int i) { return std::to_string(i % 2); }).kind, ColumnKind::boolean);
}

TEST(Columns, OfDatesAreDates) {
  const Column iso = column_of(20, [](int i) { return "2021-05-" + std::to_string(10 + i % 15); });
  EXPECT_EQ(iso.kind, ColumnKind::date);
  EXPECT_EQ(iso.date_order, DateOrder::year_first);
  const Column american = column_of(20, [](int i) { return "5/" + std::to_string(10 + i % 15) + "/2021"; });
  EXPECT_EQ(american.date_order, DateOrder::month_first);
  const Column german = column_of(20, [](int i) { return std::to_string(10 + i % 15) + ".05.2021"; });
  EXPECT_EQ(german.date_order, DateOrder::day_first);
}

TEST(Columns, WithLeadingZerosAreCodes) {
  EXPECT_EQ(column_of(30, [](int i) { return i % 2 == 0 ? std::string("02139") : std::string("10115"); }).kind,
            ColumnKind::category);
  EXPECT_EQ(column_of(30, [](int i) { return "0." + std::to_string(i); }).kind, ColumnKind::number);
}

TEST(Columns, ThatSayNothingAreLeftOut) {
  EXPECT_EQ(column_of(20, [](int) { return std::string("7"); }).why, "constant");
  EXPECT_EQ(column_of(20, [](int) { return std::string("same"); }).why, "constant");
  EXPECT_EQ(column_of(20, [](int) { return std::string("NA"); }).why, "no values");
  EXPECT_EQ(column_of(60, [](int i) { return "K" + std::to_string(i * 37); }).kind, ColumnKind::identifier);
  EXPECT_EQ(column_of(60, [](int i) { return "a fine day number " + std::to_string(i); }).kind, ColumnKind::text);
  EXPECT_EQ(column_of(
                60, [](int i) { return std::to_string(100 + i * 37 % 97); }, "customer_id")
                .kind,
            ColumnKind::identifier);
  EXPECT_EQ(column_of(60, [](int i) { return std::to_string(100 + i * 37 % 97); }).kind, ColumnKind::number);
}

TEST(Columns, ThatCountRowsAreLeftOut) {
  const auto table = [](const std::string& header, int first) {
    std::string text = header;
    for (int i = 0; i < 12; ++i) {
      text += std::to_string(first + i) + "," + std::to_string(i * 5 % 7) + ".5," + std::to_string(i * 3 % 5) + ".1\n";
    }
    return load_text(text);
  };
  for (const Dataset& data : {table(",a,y\n", 100), table("n,a,y\n", 0), table("n,a,y\n", 1), table("", 1)}) {
    EXPECT_EQ(data.columns[0].kind, ColumnKind::index);
    EXPECT_EQ(data.train.inputs.cols(), 1);
    EXPECT_THAT(data.notes, Contains(HasSubstr("(an index)")));
  }
  EXPECT_EQ(table("n,a,y\n", 5).columns[0].kind, ColumnKind::number);
}

TEST(Columns, ThatCountRowsAreKeptWhenThereIsNoOther) {
  const Dataset data = load_text("1,2.5\n2,3.5\n3,1.5\n4,7.5\n");
  EXPECT_EQ(data.train.inputs, (Matrix(4, 1) << 1, 2, 3, 4).finished());
}

TEST(Columns, OfNumbersWithASlipCountItAsMissing) {
  std::string text = "x,y\n";
  for (int i = 0; i < 100; ++i)
    text += (i == 60 ? std::string("oops") : std::to_string(i * 37 % 101) + ".5") + "," + std::to_string(i % 7) + "\n";
  const Dataset data = load_text(text);
  EXPECT_EQ(data.columns[0].kind, ColumnKind::number);
  EXPECT_EQ(data.columns[0].missing, 1);
  EXPECT_THAT(data.notes, Contains(HasSubstr("1 value is no number, such as 'oops'")));
}

TEST(Columns, AreWhatTheCallerSays) {
  const std::string text = "k,a,b,y\n1,5,red,1.5\n2,6,blue,2.5\n3,5,red,3.5\n4,7,red,0.5\n";
  EXPECT_EQ(load_text(text).columns[0].kind, ColumnKind::index);
  EXPECT_EQ(load_text(text, {.numeric = {"k"}}).columns[0].input, 0);
  EXPECT_EQ(load_text(text, {.categorical = {"a"}}).columns[1].kind, ColumnKind::category);
  EXPECT_THAT(load_text(text, {.ignore = {"3"}}).feature_names, ElementsAre("a"));
  EXPECT_THAT(load_text(text, {.only = {"b"}}).feature_names, ElementsAre("b"));
  EXPECT_EQ(load_text("a,7\n1,2\nx,3\n", {.no_header = true}).train.size(), 3);
  expect_error(
      ErrorKind::usage, [&] { load_text(text, {.categorical = {"a"}, .numeric = {"a"}}); }, "both");
}

TEST(Rows, WithoutATargetAreDropped) {
  const Dataset data = load_text("a,y\n1,2\n2,\n3,4\n7,?\n");
  EXPECT_EQ(data.train.targets, (Matrix(2, 1) << 2, 4).finished());
  EXPECT_THAT(data.notes, Contains("2 rows without a target dropped"));
}

TEST(Rows, WithMissingValuesAreDroppedOrRefusedOnDemand) {
  const std::string text = "a,b,y\n5,1,2\n2,,3\n3,1.5,4\n";
  EXPECT_EQ(load_text(text, {.missing = MissingRule::drop}).train.size(), 2);
  EXPECT_TRUE(std::isnan(load_text(text).train.inputs(1, 1)));
  expect_error(
      ErrorKind::data, [&] { load_text(text, {.missing = MissingRule::error}); }, "line 3, column 2 ('b')",
      "missing value");
}

TEST(Rows, AreCountedWhereTheySayLess) {
  std::string text = "a,y\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(i) + ".5,common\n";
  const Dataset data = load_text(text + "1.5,rare\n0.5,common\n", {}, std::nullopt);
  EXPECT_THAT(data.notes, Contains(HasSubstr("1 of 42 rows repeats an earlier one")));
  EXPECT_THAT(data.notes, Contains(HasSubstr("1 class has a single row: 'rare'")));
  EXPECT_THAT(data.notes, Contains(HasSubstr("'rare' has 1 row (2.4 %), 'common' 41 (97.6 %)")));
}

TEST(Classes, StayCodesUntilTheyAreNeeded) {
  // 10,000 names in 40,000 rows would be 3 GB as one column each.
  std::string text = "x,y\n";
  for (int i = 0; i < 40000; ++i) text += std::to_string(i % 97) + ".5,n" + std::to_string(i % 10000) + "\n";
  const Dataset data = load_text(text, {}, std::nullopt);
  EXPECT_EQ(data.output_names.size(), 10000U);
  EXPECT_EQ(data.train.targets.size(), 0);
  const PreparedData drawn = prepare(data, {.samples = 50});
  EXPECT_EQ(drawn.train.targets.rows(), 50);
  EXPECT_EQ(drawn.train.targets.cols(), 10000);
}

}  // namespace
}  // namespace priorfit
