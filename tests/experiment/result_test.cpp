#include "experiment/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "experiment/plan.hpp"
#include "experiment/specification.hpp"
#include "priorfit/error.hpp"
#include "support/json.hpp"

namespace priorfit::internal {
namespace {

using ::testing::HasSubstr;

/// A store whose figures are functions of the cell.
class ResultTest : public ::testing::Test {
 protected:
  ResultTest() {
    specification_.data.source = "made up";
    specification_.sizes = {10};
    specification_.weight_variances = {1.0, 3.0, 4.0};
    specification_.bias_variances = {0.0};
    specification_.training.epochs = 2;
  }

  void fill(Task task, auto evidence_of, auto score_of, Index cells = 1000) {
    PreparedData data;
    data.name = "made up";
    data.task = task;
    data.train = {Matrix(10, 2), Matrix(10, 1), {}};
    data.test = {Matrix(5, 2), Matrix(5, 1), {}};
    Store store(database_path(folder_), Database::Mode::create, this_process());
    store.create_or_check(specification_entries(specification_), {}, experiment_facts(data),
                          planned_cells(specification_, {specification_.network, data.features(), data.outputs()}));
    while (cells-- > 0) {
      const auto cell = store.claim({evidence_kind, training_kind});
      if (!cell) return;
      const double weight_variance = pair_in_key(cell->start)->weight_variance;
      if (cell->kind == evidence_kind) {
        Evidence evidence;
        evidence.log_marginal_likelihood = evidence_of(weight_variance);
        store.finish(*cell, evidence, 0.0);
        continue;
      }
      TrainingSummary summary;
      const double score = score_of(weight_variance, cell->seed);
      summary.test = Metrics{};
      (task == Task::classification ? summary.test->accuracy : summary.test->rmse) = score;
      summary.diverged = std::isnan(score);
      store.finish(*cell, summary, task == Task::classification);
    }
  }

  /// Has a further criterion judge everything.
  void judge(const std::string& criterion, auto score_of) {
    Store store(database_path(folder_), Database::Mode::existing, this_process());
    store.add_criterion(criterion);
    while (const auto cell = store.claim({criterion})) {
      store.finish(*cell, score_of(pair_in_key(cell->start)->weight_variance), 0.0);
    }
  }

  RuleRow row(const Experiment& experiment, const std::string& rule) {
    for (const RuleRow& r : experiment.rows) {
      if (r.rule == rule) return r;
    }
    ADD_FAILURE() << rule;
    return {};
  }

  cli::Scratch scratch_;
  std::filesystem::path folder_ = scratch_.path("");
  ExperimentSpecification specification_;
};

TEST_F(ResultTest, MeasuresTheRules) {
  specification_.seeds = 2;
  // Means 0.5, 0.6 (He, off the grid), 0.9, 0.3; evidence prefers 2 (He) and, on the grid, 4.
  fill(
      Task::classification, [](double w) { return w == 2 ? 100.0 : w; },
      [](double w, std::uint64_t seed) {
        const double mean = w == 1 ? 0.5 : w == 2 ? 0.6 : w == 3 ? 0.9 : 0.3;
        return mean + (seed == 1 ? -0.01 : 0.01);
      });
  const Experiment e = read_experiment(folder_);
  EXPECT_TRUE(e.complete);
  EXPECT_EQ(row(e, "best").start.pair()->weight_variance, 3.0);
  EXPECT_NEAR(row(e, "best").score, 0.9, 1e-15);
  EXPECT_EQ(row(e, "best").regret, 0.0);
  EXPECT_EQ(row(e, "worst").start.pair()->weight_variance, 4.0);
  EXPECT_EQ(row(e, "worst").rank, 4);
  EXPECT_NEAR(row(e, "He").regret, 0.3, 1e-12);
  EXPECT_EQ(row(e, "He").rank, 2);
  EXPECT_EQ(row(e, "recommended").start.pair()->weight_variance, 4.0);
  EXPECT_NEAR(row(e, "recommended").regret, 0.6, 1e-12);
  EXPECT_NEAR(*row(e, "He").standard_error, 0.01, 1e-12);
  // Evidence ranks of weight variances 1, 3, 4, 2: 1, 2, 3, 4; of scores: 2, 4, 1, 3.
  EXPECT_NEAR(*e.sizes[0].rank_correlation, 0.0, 1e-12);
}

// An earlier format has no checksum that would tell.
TEST_F(ResultTest, DamagedFactsAreNamed) {
  fill(
      Task::regression, [](double w) { return -w; }, [](double w, std::uint64_t) { return w; });
  Json sound;
  {
    Database database(database_path(folder_), Database::Mode::existing);
    database.execute("DROP TABLE IF EXISTS checks; PRAGMA user_version = 2");
    Statement row = database.prepare("SELECT value FROM meta WHERE key = 'data'");
    ASSERT_TRUE(row.step());
    sound = Json::parse(row.text(0));
  }
  const auto with = [&](const char* name, const Json& value) {
    Json facts = sound;
    facts[name] = value;
    return facts.dump();
  };
  for (const std::string& value :
       {std::string("{}"), std::string("{{"), std::string("[]"), std::string("7"), std::string(), with("rows", 1e300),
        with("rows", -1), with("features", "7"), with("seed", 0.5), with("task", "none"), with("test_rows", 1e18)}) {
    {
      Database database(database_path(folder_), Database::Mode::existing);
      database.prepare("UPDATE meta SET value = ? WHERE key = 'data'").bind(value).run();
    }
    test::expect_error(
        ErrorKind::data, [&] { read_experiment(folder_); }, "experiment.sqlite", "'data'");
  }
}

TEST_F(ResultTest, SmallestErrorIsBestInRegression) {
  fill(
      Task::regression, [](double w) { return -w; }, [](double w, std::uint64_t) { return w; });
  const Experiment e = read_experiment(folder_);
  EXPECT_EQ(row(e, "best").start.pair()->weight_variance, 1.0);
  EXPECT_EQ(row(e, "worst").start.pair()->weight_variance, 4.0);
  EXPECT_EQ(row(e, "recommended").regret, 0.0);
  EXPECT_EQ(row(e, "He").regret, 1.0);
  EXPECT_FALSE(row(e, "He").standard_error);
  EXPECT_NEAR(*e.sizes[0].rank_correlation, 1.0, 1e-12);
  const auto json = nlohmann::json::parse(to_json(e));
  EXPECT_EQ(json.at("rows").at(0).at("rmse"), 1.0);
  EXPECT_FALSE(json.at("rows").at(0).contains("accuracy"));
}

TEST_F(ResultTest, WhatDivergedIsWorst) {
  fill(
      Task::classification, [](double w) { return w; },
      [](double w, std::uint64_t) { return w == 3 ? std::nan("") : 0.5 + 0.01 * w; });
  const Experiment e = read_experiment(folder_);
  EXPECT_EQ(row(e, "worst").start.pair()->weight_variance, 3.0);
  EXPECT_THAT(to_table(e), HasSubstr("diverged"));
  EXPECT_TRUE(nlohmann::json::parse(to_json(e)).at("rows").at(1).at("accuracy").is_null());
}

TEST_F(ResultTest, GivesRowsOfFinishedSizesOnly) {
  specification_.sizes = {10, 20};
  fill(
      Task::classification, [](double w) { return w; }, [](double w, std::uint64_t) { return w / 10; }, 8 + 5);
  const Experiment e = read_experiment(folder_);
  EXPECT_FALSE(e.complete);
  EXPECT_TRUE(e.sizes[0].complete);
  EXPECT_FALSE(e.sizes[1].complete);
  EXPECT_TRUE(e.sizes[1].recommended);
  EXPECT_EQ(e.sizes[1].cells.size(), 1u);
  EXPECT_EQ(e.rows.size(), 5u);
  EXPECT_THAT(to_table(e), HasSubstr("N = 20: not finished"));
  EXPECT_EQ(nlohmann::json::parse(to_json(e)).at("complete"), false);
}

TEST_F(ResultTest, PredictionsAreARuleAndAreCompared) {
  // He trains to 0.6, the grid's pairs to 0.5, 0.9 and 0.3.
  const auto accuracy = [](double w) { return w == 1 ? 0.5 : w == 2 ? 0.6 : w == 3 ? 0.9 : 0.3; };
  fill(
      Task::classification, [](double w) { return w; }, [&](double w, std::uint64_t) { return accuracy(w); });
  EXPECT_FALSE(read_experiment(folder_).sizes[0].risk_rank_correlation);
  judge("trained-risk", [&](double w) {
    return TrainedRisk{.failure = "",
                       .error = 0.1,
                       .standard_error = 0.01,
                       .data_error = 0.05,
                       .initialisation_error = 0.05,
                       .accuracy = accuracy(w) + 0.02,
                       .ridge = 1e-3};
  });
  const Experiment e = read_experiment(folder_);
  EXPECT_TRUE(e.complete);
  EXPECT_EQ(row(e, "trained-risk").start.pair()->weight_variance, 3.0);
  EXPECT_NEAR(*e.sizes[0].risk_rank_correlation, 1.0, 1e-12);
  EXPECT_NEAR(*e.sizes[0].prediction_error, 0.02, 1e-12);
  const auto json = nlohmann::json::parse(to_json(e));
  EXPECT_EQ(json.at("sizes").at(0).at("evidence").at(0).at("trained").at("accuracy"), 0.52);
}

TEST_F(ResultTest, AnyCriterionCanBeStored) {
  register_criterion({.name = "smallness",
                      .unit = "",
                      .larger_is_better = false,
                      .summary = "the least variance",
                      .make = [](const CriterionInputs&) { return std::unique_ptr<Criterion>(); }});
  fill(
      Task::classification, [](double w) { return w; }, [](double w, std::uint64_t) { return w / 10; });
  judge("smallness", [](double w) { return w == 4 ? Score::failed("too large") : Score::of(w); });
  const Experiment e = read_experiment(folder_);
  EXPECT_EQ(row(e, "smallness").start.pair()->weight_variance, 1.0);
  EXPECT_EQ(row(e, "recommended").start.pair()->weight_variance, 4.0);
  const auto judged = nlohmann::json::parse(to_json(e)).at("sizes").at(0).at("evidence");
  EXPECT_EQ(judged.at(0).at("scores").at("smallness").at("value"), 1.0);
  EXPECT_EQ(judged.at(2).at("scores").at("smallness").at("failure"), "too large");
}

TEST_F(ResultTest, SaysWhenThereIsNoExperiment) { EXPECT_THROW(read_experiment(scratch_.path("nothing here")), Error); }

}  // namespace
}  // namespace priorfit::internal
