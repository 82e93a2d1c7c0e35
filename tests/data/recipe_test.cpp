// The recipe from a table to features: fitted, applied, written, read and applied again.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "data/summary.hpp"
#include "tables.hpp"

namespace priorfit {
namespace {

using test::expect_error;
using test::Scratch;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const mixed =
    "size,colour,day,sold,y\n"
    "1,red,2021-03-01,yes,1.5\n"
    "3,blue,2021-03-02,no,2.5\n"
    ",red,2021-03-03,yes,3.5\n"
    "8,,2021-03-04,,0.5\n";

PreparedData prepared(const std::string& text, const PrepareOptions& options = {.preprocess = Preprocess::none},
                      const TableOptions& table = {}) {
  return prepare(test::load_text(text, table), options);
}

TEST(Recipe, MakesFeaturesOfEveryKindOfColumn) {
  const PreparedData data = prepared(mixed);
  EXPECT_THAT(data.preparation.feature_names(),
              ElementsAre("size", "size (missing)", "colour=red", "colour=blue", "colour=(missing)", "day year",
                          "day month", "day weekday", "day days", "sold", "sold (missing)"));
  Matrix expected(4, 11);
  expected << 1, 0, 1, 0, 0, 2021, 3, 0, 18687, 1, 0,  //
      3, 0, 0, 1, 0, 2021, 3, 1, 18688, 0, 0,          //
      3, 1, 1, 0, 0, 2021, 3, 2, 18689, 1, 0,          //
      8, 0, 0, 0, 1, 2021, 3, 3, 18690, 1, 1;
  EXPECT_EQ(data.train.inputs, expected);
  EXPECT_THAT(data.notes,
              Contains("4 columns became 11 features: 2 numbers, 1 category of 3 levels, 1 date of 4 features "
                       "each, 2 indicators of missing values"));
}

TEST(Recipe, FillsWithTheMeanOnDemand) {
  EXPECT_EQ(prepared(mixed, {.preprocess = Preprocess::none}, {.missing = MissingRule::mean}).train.inputs(2, 0), 4.0);
}

TEST(Recipe, IsFittedToTheTrainingRowsOnly) {
  std::string text = "v,c,y\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i % 4 == 0 ? 1000 : i) + ".5," +
            (i == 17      ? "only"
             : i % 2 == 0 ? "even"
                          : "odd") +
            "," + std::to_string(i) + ".5\n";
  }
  text += "?,even,3.5\n";
  const Scratch folder;
  const Dataset dataset = load_dataset({.source = folder.file("t.csv", text)});
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const PreparedData data = prepare(dataset, {.seed = seed, .preprocess = Preprocess::none, .test_fraction = 0.4});
    std::vector<double> values;
    bool only = false, missing = false;
    for (Index r = 0; r < data.train.size(); ++r) {
      const double target = data.target_shift[0] + data.target_scale[0] * data.train.targets(r, 0);
      only = only || std::abs(target - 17.5) < 1e-9;
      missing = missing || data.train.inputs(r, 1) == 1.0;
    }
    const auto names = data.preparation.feature_names();
    EXPECT_EQ(std::find(names.begin(), names.end(), "c=only") != names.end(), only);
    EXPECT_EQ(data.preparation.columns[0].indicator,
              std::find(names.begin(), names.end(), "v (missing)") != names.end());
  }
}

TEST(Recipe, PutsRareLevelsTogether) {
  std::string text = "c,x,y\n";
  for (int i = 0; i < 1000; ++i) {
    const std::string level = i < 5 ? "rare" + std::to_string(i) : i % 2 == 0 ? "even" : "odd";
    text += level + "," + std::to_string(i % 17) + ".5," + std::to_string(i % 13) + ".5\n";
  }
  const ColumnRecipe recipe = prepared(text).preparation.columns[0];
  EXPECT_THAT(recipe.levels, ElementsAre("odd", "even"));
  EXPECT_TRUE(recipe.other);
}

TEST(Recipe, LimitsTheLevels) {
  std::string text = "c,x,y\n";
  for (int i = 0; i < 4000; ++i)
    text += "l" + std::to_string(i % 100) + "," + std::to_string(i % 17) + ".5,1." + std::to_string(i % 13) + "\n";
  EXPECT_EQ(prepared(text).preparation.columns[0].levels.size(), 30U);
}

TEST(Recipe, HasTheSameFeaturesForEverySample) {
  std::string text = "c,x,y\n";
  for (int i = 0; i < 200; ++i)
    text += "l" + std::to_string(i % 20) + "," + std::to_string(i % 17) + ".5,1." + std::to_string(i % 13) + "\n";
  const PreparedData all = prepared(text, {.seed = 4});
  const PreparedData few = prepared(text, {.samples = 10, .seed = 4});
  EXPECT_EQ(few.features(), all.features());
  const PreparedData drawn = draw_rows(all, 10, 4);
  EXPECT_LT((drawn.train.inputs - few.train.inputs).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((drawn.preparation.input_shift - few.preparation.input_shift).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Recipe, NamesEveryColumnInASummary) {
  const PreparedData data = draw_rows(prepared(mixed), 3, 1);
  const DataSummary summary = summarize(data);
  ASSERT_EQ(summary.columns.size(), 5U);
  EXPECT_EQ(summary.columns[0].distinct, 3);
  EXPECT_EQ(summary.columns[0].missing, 1);
  EXPECT_EQ(summary.columns[0].becomes, "as it is, 3 and an indicator where missing");
  EXPECT_EQ(summary.columns[1].becomes, "3 features, one per level, a level for missing ones");
  EXPECT_EQ(summary.columns[4].becomes, "target");
  EXPECT_THAT(summary.dialect, HasSubstr("header"));
  EXPECT_EQ(internal::data_json(internal::data_from(internal::data_json(summary), "test")),
            internal::data_json(summary));
}

TEST(Recipe, TravelsThroughJson) {
  const Scratch folder;
  const PreparedData data = prepared(mixed, {.preprocess = Preprocess::standardize});
  const std::string path =
      folder.file("recipe.json", "{\"data\": {\"preparation\": " + to_json(data.preparation) + "}}");
  const Preparation again = read_preparation(path);
  EXPECT_EQ(to_json(again), to_json(data.preparation));
  const PreparedRows rows = apply(again, {.source = folder.file("t.csv", mixed)});
  EXPECT_LT((rows.inputs - data.train.inputs).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((rows.targets - data.train.targets).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_TRUE(rows.notes.empty());
}

TEST(Recipe, MeetsWhatItWasNotFittedTo) {
  const Scratch folder;
  const Preparation recipe = prepared(mixed).preparation;
  // Another order of columns, one that is gone, a new one, an unseen level, a missing date.
  const PreparedRows rows =
      apply(recipe, {.source = folder.file("n.csv", "new,day,size,colour\n1,2021-03-02,2,green\n2,?,x,blue\n")});
  Matrix expected(2, 11);
  expected << 2, 0, 0, 0, 0, 2021, 3, 1, 18688, 1, 1,  //
      3, 1, 0, 1, 0, 2021, 3, 1, 18688.5, 1, 1;
  EXPECT_EQ(rows.inputs, expected);
  EXPECT_EQ(rows.targets.rows(), 0);
  EXPECT_THAT(rows.notes, Contains(HasSubstr("1 column is not in")));
  EXPECT_THAT(rows.notes, Contains(HasSubstr("1 value is of a level")));
  EXPECT_THAT(rows.notes, Contains(HasSubstr("size: 1 value is not as before, such as 'x'")));
  expect_error(
      ErrorKind::data, [&] { apply(recipe, {.source = folder.file("o.csv", "p,q\n1,2\n3,4\n")}); },
      "none of the 4 columns");
}

TEST(Recipe, KeepsClassesApartByName) {
  const Scratch folder;
  std::string text = "x,y\n";
  for (int i = 0; i < 30; ++i) text += std::to_string(i) + ".5," + (i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c") + "\n";
  const PreparedData data = prepare(load_dataset({.source = folder.file("t.csv", text)}), {});
  const PreparedRows rows = apply(data.preparation, {.source = folder.file("n.csv", "x,y\n1.5,c\n2.5,d\n3.5,a\n")});
  EXPECT_THAT(rows.labels, ElementsAre(2, -1, 0));
  EXPECT_THAT(rows.notes, Contains(HasSubstr("1 row has no class")));
}

TEST(Recipe, IsRefusedWhereThereIsNone) {
  const Scratch folder;
  expect_error(
      ErrorKind::io, [&] { read_preparation(folder.path("absent.json")); }, "absent.json");
  expect_error(
      ErrorKind::data, [&] { read_preparation(folder.file("a.json", "{\"data\": {}}")); }, "holds no preparation");
  expect_error(
      ErrorKind::data,
      [&] { read_preparation(folder.file("b.json", "{\"schema\": \"priorfit.preparation/1\", \"task\": \"x\"}")); },
      "b.json", "cannot be read");
}

TEST(TestFiles, AreReadLikeTheTrainingRows) {
  const Scratch folder;
  Dataset training = load_dataset({.source = folder.file("t.csv", mixed), .task = Task::regression});
  // By itself `size` would be constant here, `colour` too, and `sold` text.
  const Dataset test = load_like(
      training,
      {.source = folder.file(
           "n.csv",
           "size,colour,day,sold,y\n3,green,2021-03-02,no,1\n3,green,2021-03-02,maybe,2\n3,green,2021-03-02,no,?\n")});
  use_as_test(training, test);
  const PreparedData data = prepare(training, {.preprocess = Preprocess::none});
  ASSERT_EQ(data.test.size(), 2);
  EXPECT_EQ(data.test.inputs(1, 0), 3.0);
  EXPECT_EQ(data.test.inputs(0, 9), 0.0);
  EXPECT_EQ(data.test.inputs(1, 10), 1.0);
  EXPECT_THAT(data.notes, Contains(HasSubstr("2 values of the test rows are a level")));
  EXPECT_THAT(data.notes, Contains(HasSubstr("1 row of")));
}

TEST(Paste, ShowsTheRecipeAsPython) {
  const std::string code = paste_preparation(prepared(mixed, {.preprocess = Preprocess::standardize}).preparation);
  EXPECT_THAT(code, HasSubstr("table[\"size\"]"));
  EXPECT_THAT(code, HasSubstr("levels = table[\"colour\"].astype(str).str.strip(), [\"red\", \"blue\"]"));
  EXPECT_THAT(code, HasSubstr("X = (X - np.array("));
  const std::string plain = paste_preparation(prepared("3,1,2.5\n1,5,3.5\n").preparation);
  EXPECT_EQ(plain,
            "import numpy as np\nimport pandas as pd\n"
            "# table = pd.read_csv(\"table.csv\", skipinitialspace=True, header=None)\n"
            "X = table.iloc[:, [0, 1]].to_numpy(float)\n");
}

}  // namespace
}  // namespace priorfit
