// Tables as they come out of spreadsheets, other languages and other people's hands.
#include <gtest/gtest.h>

#include <cmath>

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

std::vector<ColumnKind> kinds(const Dataset& data) {
  std::vector<ColumnKind> result;
  for (const Column& column : data.columns) result.push_back(column.kind);
  return result;
}

TEST(Ugly, MoneyAndPercentAreNumbers) {
  const Dataset data = load_text("price,rate,y\n\"$1,200.50\",12%,1.5\n\"$3,400.00\",7 %,2.5\n$950,9.5%,3.5\n");
  EXPECT_THAT(data.train.inputs.row(0), ElementsAre(1200.5, 12));
  EXPECT_THAT(data.train.inputs.row(2), ElementsAre(950, 9.5));
  EXPECT_THAT(data.notes, Contains(HasSubstr("passed over in price, rate")));
}

TEST(Ugly, GroupedDigitsFollowTheDecimalMark) {
  EXPECT_THAT(load_text("a;y\n1.234,5;0,5\n12.345,25;1,5\n").train.inputs.col(0), ElementsAre(1234.5, 12345.25));
  EXPECT_THAT(load_text("a;y\n1'234.5;0.5\n12'345.25;1.5\n").train.inputs.col(0), ElementsAre(1234.5, 12345.25));
  EXPECT_THAT(load_text("a\ty\n1 234.5\t0.5\n12 345.25\t1.5\n").train.inputs.col(0), ElementsAre(1234.5, 12345.25));
  // One comma before three digits: a decimal mark, unless commas separate.
  EXPECT_THAT(load_text("a;y\n1,234;7\n5,125;8\n").train.inputs.col(0), ElementsAre(1.234, 5.125));
  EXPECT_THAT(load_text("a,y\n\"1,234\",7\n\"5,125\",8\n").train.inputs.col(0), ElementsAre(1234, 5125));
}

TEST(Ugly, DatesMayBeMixed) {
  const Dataset data = load_text("day,y\n2021-03-01,1.5\n3/2/2021,2.5\n2021-03-03,3.5\n");
  EXPECT_EQ(data.columns[0].kind, ColumnKind::date);
  EXPECT_THAT(data.train.inputs.col(0), ElementsAre(18687, 18688, 18689));
  EXPECT_EQ(load_text("day,y\n20210301,1.5\n20210302,2.5\n20210304,3.5\n").train.inputs(2, 0), 18690);
  const Dataset named = load_text("day,y\n1 Mar 2021,1.5\n2 Mar 2021,2.5\n");
  EXPECT_EQ(named.train.inputs(1, 0), 18688);
  EXPECT_THAT(named.notes, Not(Contains(HasSubstr("nothing in them tells"))));
}

TEST(Ugly, BooleansMayBeSpelledInSeveralWays) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 12; ++i) {
    const char* const spellings[] = {"yes", "No", "YES", "n", "true", "0"};
    text += std::string(spellings[i % 6]) + "," + (i % 2 == 0 ? "Ja" : "t") + "," + std::to_string(i) + ".5\n";
  }
  const Dataset data = load_text(text);
  EXPECT_EQ(data.columns[0].kind, ColumnKind::boolean);
  EXPECT_EQ(data.columns[1].kind, ColumnKind::category);
  EXPECT_THAT(data.train.inputs.col(0).head(6), ElementsAre(1, 0, 1, 0, 1, 0));
}

TEST(Ugly, LinesAroundATableArePassedOver) {
  const Dataset titled = load_text("Sales report 2021\n\nregion,units,y\nN,3,1.5\nS,4,2.5\nN,5,0.5\n");
  EXPECT_EQ(titled.train.size(), 3);
  EXPECT_THAT(titled.feature_names, ElementsAre("region", "units"));
  EXPECT_THAT(titled.notes, Contains("passed over before the table: 'Sales report 2021'"));
  const Dataset commented = load_text("# made today\na,b\n# now rows\n1,2.5\n3,4.5\n# half\n5,6.5\n");
  EXPECT_THAT(commented.train.inputs.col(0), ElementsAre(1, 3, 5));
  const Dataset excel = load_text("sep=;\na;b\n1;2.5\n3;4.5\n");
  EXPECT_EQ(excel.dialect->separator, ';');
  EXPECT_THAT(excel.feature_names, ElementsAre("a"));
}

TEST(Ugly, NumPyWritesNamesAsAComment) {
  const Dataset data = load_text("# height weight y\n1.5 2.5 3.5\n4.5 5.5 6.5\n");
  EXPECT_THAT(data.feature_names, ElementsAre("height", "weight"));
  EXPECT_EQ(data.target_name, "y");
  EXPECT_EQ(data.train.size(), 2);
  EXPECT_FALSE(load_text("# two words\n1.5 2.5 3.5\n4.5 5.5 6.5\n").dialect->header);
}

TEST(Ugly, HeadersMayCountOrRepeat) {
  const Dataset counted = load_text("0,1,2,3\n0.5,1.5,2.5,3.5\n4.5,3.5,2.5,1.5\n7.5,3.5,9.5,1.5\n");
  EXPECT_TRUE(counted.dialect->header);
  EXPECT_EQ(counted.train.size(), 3);
  const Dataset repeated = load_text("x,x,y\n1.5,2.5,3.5\n4.5,5.5,6.5\n");
  EXPECT_THAT(repeated.feature_names, ElementsAre("x", "x.1"));
  EXPECT_THAT(repeated.notes, Contains(HasSubstr("called x.1")));
}

TEST(Ugly, TrailingSeparatorsAreNoTarget) {
  for (const char* text : {"a,y,\n1.5,2.5,\n3.5,4.5,\n", "1.5;2.5;\n3.5;4.5;\n", "a,y\n1.5,2.5,\n3.5,4.5,\n",
                           "a,y,\n1.5,2.5\n3.5,4.5\n", "a,y\n1.5,2.5\n3.5,4.5,\n"}) {
    const Dataset data = load_text(text);
    EXPECT_THAT(data.train.targets.col(0), ElementsAre(2.5, 4.5)) << text;
    EXPECT_THAT(data.train.inputs.col(0), ElementsAre(1.5, 3.5)) << text;
  }
}

TEST(Ugly, OtherEncodingsAreUndone) {
  const std::u16string wide = u"\uFEFFstadt,x,y\nKöln,1,2.5\nParis,2,3.5\nKöln,3,4.5\n";
  std::string little, big;
  for (const char16_t unit : wide) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    little += {low, high};
    big += {high, low};
  }
  for (const std::string& text : {little, big}) {
    EXPECT_THAT(load_text(text).columns[0].levels, ElementsAre("Köln", "Paris"));
  }
  const Dataset latin = load_text("stadt,x,y\nK\xF6ln,1,2.5\nParis,2,3.5\nK\xF6ln,3,4.5\n");
  EXPECT_THAT(latin.columns[0].levels, ElementsAre("Köln", "Paris"));
  EXPECT_THAT(latin.notes, Contains(HasSubstr("Latin-1")));
  EXPECT_EQ(load_text("a,y\r1.5,2.5\r3.5,4.5\r").train.size(), 2);
}

TEST(Ugly, AnIndexMayBeShuffledAndAnIdentifierNamed) {
  std::string shuffled, price = "price,x,y\n";
  for (int i = 0; i < 60; ++i) {
    const std::string rest = "," + std::to_string(i * 0.37) + "," + std::to_string(i * 0.7) + "\n";
    shuffled += std::to_string(i * 7 % 60) + rest;
    price += std::to_string(250000 + 1371 * i) + rest;
  }
  EXPECT_EQ(load_text(shuffled).columns[0].kind, ColumnKind::index);
  EXPECT_EQ(load_text(price).columns[0].kind, ColumnKind::number);  // large and all different, but not called id
}

TEST(Ugly, WordsForUnknownAreMissingAmongNumbers) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 40; ++i) {
    text += (i % 4 == 0 ? std::string("unknown") : std::to_string(i) + ".5") + "," + (i % 3 == 0 ? "unknown" : "red") +
            "," + std::to_string(i) + ".25\n";
  }
  const Dataset data = load_text(text);
  EXPECT_THAT(kinds(data), ElementsAre(ColumnKind::number, ColumnKind::category, ColumnKind::number));
  EXPECT_EQ(data.columns[0].missing, 10);
  EXPECT_EQ(data.columns[1].missing, 0);
}

TEST(Ugly, WhatIsNoTableIsNamed) {
  expect_error(
      ErrorKind::data, [] { load_text("<!DOCTYPE html>\n<html></html>\n"); }, "web page");
  expect_error(
      ErrorKind::data, [] { load_text("[{\"a\": 1, \"y\": 2}]"); }, "one JSON array", "lines=True");
  expect_error(
      ErrorKind::data, [] { load_text("@relation iris\n@attribute a numeric\n@data\n1\n"); }, "ARFF");
  expect_error(
      ErrorKind::data, [] { load_text("a,b,y\n1,2,3\n4,5\n"); }, "t.csv, line 3", "2 fields", "correct the line");
  expect_error(
      ErrorKind::usage, [] { load_text("1,2\n3,4\n", {.decimal = ',', .separator = ','}); }, "both separates");
}

TEST(Ugly, ATestFileIsReadAsTheTrainingRowsWere) {
  const Scratch folder;
  // Alone, the test file would have no header, and 2,125 would be two thousand.
  const Dataset training = load_text("name;size;y\nalfa;1,5;0,5\nbeta;2,25;1,5\nalfa;3,5;2,5\nbeta;1,75;0,5\n");
  const Dataset test = load_like(training, {.source = folder.file("n.csv", "name;size;y\nbeta;2,125;1,125\n")});
  EXPECT_EQ(test.train.inputs(0, 1), 2.125);
  EXPECT_EQ(test.train.targets(0, 0), 1.125);
}

}  // namespace
}  // namespace priorfit
