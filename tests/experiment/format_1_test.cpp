// Databases of format 1: read as they are, brought to the present format when they are continued. The fixtures were
// written by the last version that knew no other; their first line says how.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiment/result.hpp"
#include "experiment/schema.hpp"
#include "experiment/specification.hpp"
#include "experiment/start_key.hpp"
#include "helpers.hpp"

namespace priorfit::internal {
namespace {

using ::testing::ElementsAre;

class Format1 : public ::testing::Test {
 protected:
  void load(const std::string& name) {
    std::filesystem::create_directories(folder_);
    Database database(database_path(folder_), Database::Mode::create);
    database.execute(test::read_all(std::string(PRIORFIT_FIXTURES) + "/format_1_" + name + ".sql").c_str());
  }
  std::string single(const char* sql) {
    Database database(database_path(folder_), Database::Mode::existing);
    Statement row = database.prepare(sql);
    return row.step() ? row.text(0) : "nothing";
  }
  /// As stored; what the fixture does not hold has its default.
  ExperimentSpecification specification() { return read_experiment(folder_).specification; }

  test::Scratch scratch_;
  std::filesystem::path folder_ = scratch_.path("e");
};

TEST_F(Format1, IsReadAsItIs) {
  load("done");
  const std::string before = test::read_all(database_path(folder_));
  const Experiment e = read_experiment(folder_);
  EXPECT_TRUE(e.complete);
  EXPECT_EQ(test::read_all(database_path(folder_)), before);
  EXPECT_EQ(e.specification.prediction.ridge, 1e-3);
  EXPECT_EQ(e.specification.training.loss, Loss::squared);  // the only one there was
  ASSERT_EQ(e.sizes.size(), 2u);
  const SizeResult& size = e.sizes[1];
  // Four pairs with two outputs each, and PyTorch's default. He's pair was kept apart from the same pair with an output
  // layer like the others.
  ASSERT_EQ(size.candidates.size(), 9u);
  ASSERT_EQ(size.cells.size(), 9u);
  for (const Candidate& candidate : size.candidates) {
    EXPECT_TRUE(candidate.has_evidence());
    EXPECT_TRUE(candidate.has_risk());
  }
  EXPECT_EQ(size.candidates[1].start, Initialisation::with_output(e.specification.network, {1.0, 0.0}, 2.0));
  EXPECT_EQ(size.candidates[1].risk().error, 0.055322822664848059);
  EXPECT_EQ(size.candidates[8].start.scheme, InitialScheme::pytorch);
  EXPECT_EQ(size.candidates[8].start.layers[0].bias_variance, 1.0 / (3 * 64));
  std::vector<std::string> rules;
  for (const RuleRow& row : e.rows) {
    if (row.size == 40) rules.push_back(row.rule);
  }
  EXPECT_THAT(rules, ElementsAre("best", "worst", "He", "recommended", "trained-risk", "pytorch"));
  EXPECT_EQ(size.recommended->start, Initialisation::tied(e.specification.network, {2.0, 0.0}));
}

TEST_F(Format1, IsContinued) {
  load("cut");
  const Experiment before = read_experiment(folder_);
  EXPECT_FALSE(before.complete);
  const Experiment after = run_experiment(specification(), {.folder = folder_, .also = {"trained-risk"}});
  EXPECT_TRUE(after.complete);
  EXPECT_EQ(single("PRAGMA user_version"), "3");
  EXPECT_EQ(single("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(single("PRAGMA foreign_key_check"), "nothing");
  EXPECT_EQ(single("SELECT max(times_claimed) FROM cells WHERE id <= 4"), "1");  // what was done was not done again
  EXPECT_EQ(single("SELECT value FROM meta WHERE key = 'prediction.ridge'"), "0.001");
  ASSERT_EQ(before.sizes[0].candidates.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(after.sizes[0].candidates[i].evidence().log_marginal_likelihood,
              before.sizes[0].candidates[i].evidence().log_marginal_likelihood);
    EXPECT_TRUE(after.sizes[1].candidates[i].has_risk());
  }
  EXPECT_EQ(after.sizes[0].cells[0].train_curve, before.sizes[0].cells[0].train_curve);

  // The same figures as a run from the beginning, to the tolerance that noise is fitted to.
  const Experiment anew = run_experiment(specification(), {.folder = scratch_.path("anew")});
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double stored = after.sizes[s].candidates[i].evidence().log_marginal_likelihood;
      EXPECT_NEAR(anew.sizes[s].candidates[i].evidence().log_marginal_likelihood, stored, 1e-6 * std::abs(stored));
    }
  }
}

/// Old stores did not hold the recipe; a run adds it.
std::string without_preparation(const std::string& text) {
  auto json = nlohmann::ordered_json::parse(text);
  json["data"].erase("preparation");
  return json.dump();
}

TEST_F(Format1, PredictionsBecomeCellsOfTheirOwn) {
  load("done");
  const std::string before = to_json(read_experiment(folder_));
  const Experiment after = run_experiment(specification(), {.folder = folder_, .also = {"trained-risk"}});
  EXPECT_EQ(without_preparation(to_json(after)), without_preparation(before));
  EXPECT_EQ(single("SELECT count(*) FROM cells WHERE kind = 'trained-risk' AND state = 'done'"), "20");
  EXPECT_EQ(single("SELECT sum(times_claimed) FROM cells WHERE kind = 'trained-risk'"), "0");
  EXPECT_EQ(single("SELECT count(*) FROM risks JOIN cells ON id = cell WHERE kind != 'trained-risk'"), "0");
  EXPECT_EQ(single("SELECT max(id) FROM cells WHERE kind = 'training'"), "40");  // checkpoints are named by these
}

TEST_F(Format1, StaysAsItIsWhereSomethingElseIsAskedFor) {
  load("cut");
  ExperimentSpecification other = specification();
  other.training.epochs = 7;
  test::expect_error(
      ErrorKind::usage, [&] { run_experiment(other, {.folder = folder_}); }, "training.epochs = 60");
  EXPECT_EQ(single("PRAGMA user_version"), "1");
}

TEST_F(Format1, IsNotTakenFromAProcessThatWorksOnIt) {
  load("cut");
  {
    Database database(database_path(folder_), Database::Mode::existing);
    database.prepare("UPDATE cells SET state = 'claimed', owner_host = 'elsewhere', heartbeat = ? WHERE id = 5")
        .bind(unix_seconds())
        .run();
  }
  test::expect_error(
      ErrorKind::usage, [&] { run_experiment(specification(), {.folder = folder_}); }, "older version");
  EXPECT_EQ(single("PRAGMA user_version"), "1");
  EXPECT_FALSE(read_experiment(folder_).complete);
}

}  // namespace
}  // namespace priorfit::internal
