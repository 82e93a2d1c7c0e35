// Tables as the world has them (fixtures/uci): read without a flag but the target where it is not last.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "priorfit/dataset.hpp"

namespace priorfit {
namespace {

using ::testing::ElementsAre;

Dataset excerpt(const std::string& name, const std::string& target = "") {
  return load_dataset({.source = std::string(PRIORFIT_FIXTURES) + "/uci/" + name, .target_column = target});
}

TEST(Excerpts, OfAbaloneHaveACategory) {
  const Dataset data = excerpt("abalone.csv");
  EXPECT_EQ(data.train.size(), 60);
  EXPECT_EQ(data.columns[0].kind, ColumnKind::category);
  EXPECT_EQ(data.columns[1].kind, ColumnKind::number);
}

TEST(Excerpts, OfAdultHaveCategoriesBehindBlanks) {
  const Dataset data = excerpt("adult.csv");
  EXPECT_THAT(data.output_names, ElementsAre("<=50K", ">50K"));
  EXPECT_THAT(data.columns[9].levels, ElementsAre("Male", "Female"));
  EXPECT_EQ(data.dialect->missing, "?");
  EXPECT_GT(data.columns[13].missing + data.columns[6].missing, 0);
}

TEST(Excerpts, OfBreastCancerAreQuotedWithoutAHeader) {
  const Dataset data = excerpt("breast-cancer.csv");
  EXPECT_EQ(data.train.size(), 60);
  EXPECT_EQ(data.dialect->quote, '\'');
  EXPECT_THAT(data.output_names, ElementsAre("no-recurrence-events", "recurrence-events"));
  EXPECT_EQ(data.columns[8].kind, ColumnKind::boolean);
}

TEST(Excerpts, OfGermanMixCodesAndNumbers) {
  const Dataset data = excerpt("german.csv");
  EXPECT_EQ(data.task, Task::classification);
  EXPECT_EQ(data.columns[0].kind, ColumnKind::category);
  EXPECT_EQ(data.columns[4].kind, ColumnKind::number);
}

TEST(Excerpts, OfHorseColicMissAThirdAndHoldAnIdentifier) {
  const Dataset data = excerpt("horse-colic.csv", "24");
  EXPECT_EQ(data.columns[2].kind, ColumnKind::identifier);
  EXPECT_NE(data.columns[24].kind, ColumnKind::number);  // 00000 and 02208
  EXPECT_GT(data.columns[15].missing, 40);
  const PreparedData prepared = prepare(data, {.test_fraction = 0.2});
  EXPECT_TRUE(prepared.train.inputs.allFinite());
  EXPECT_TRUE(prepared.test.inputs.allFinite());
}

TEST(Excerpts, OfMammographyHaveQuotedClasses) {
  const Dataset data = excerpt("mammography.csv");
  EXPECT_THAT(data.output_names, ElementsAre("-1", "1"));
}

TEST(Excerpts, OfOilSpillBeginWithAnIndex) {
  const Dataset data = excerpt("oil-spill.csv");
  EXPECT_EQ(data.columns[0].kind, ColumnKind::index);
  EXPECT_EQ(data.columns[22].kind, ColumnKind::constant);
}

TEST(Excerpts, OfConcreteMixBlanks) {
  const Dataset data = excerpt("concrete.txt");
  EXPECT_EQ(data.columns.size(), 9U);
  EXPECT_EQ(data.task, Task::regression);
}

}  // namespace
}  // namespace priorfit
