// What came out of cells: written when they are finished, and read back.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "experiment/integrity.hpp"
#include "experiment/schema.hpp"
#include "experiment/store.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

EvidenceStatus parse_status(const std::string& text) {
  for (const auto status : {EvidenceStatus::ok, EvidenceStatus::jittered, EvidenceStatus::not_positive_definite}) {
    if (to_string(status) == text) return status;
  }
  return EvidenceStatus::not_finite;
}

/// A row, whose values are bound in the order of the table's columns.
Statement insert_into(Database& database, const ResultTable& table) {
  std::string values;
  for (const char c : std::string_view(table.columns)) values += c == ',' ? "?, " : "";
  return database.prepare(
      fmt::format("INSERT OR REPLACE INTO {} ({}) VALUES ({}?)", table.name, table.columns, values).c_str());
}

void insert_evidence(Database& database, const Cell& cell, const Evidence& evidence) {
  insert_into(database, evidence_table)
      .bind(cell.id, std::string(to_string(evidence.status)), evidence.log_marginal_likelihood, evidence.per_value,
            evidence.noise_variance, evidence.jitter, std::int64_t{evidence.failed_pivot})
      .run();
}

void insert_risk(Database& database, const Cell& cell, const TrainedRisk& risk) {
  insert_into(database, risks_table)
      .bind(cell.id, risk.failure, risk.error, risk.standard_error, risk.data_error, risk.initialisation_error,
            risk.accuracy, risk.ridge)
      .run();
}

}  // namespace

bool Store::mark_done(const Cell& cell, double seconds) {
  database_
      .prepare(
          "UPDATE cells SET state = 'done', seconds = ? WHERE id = ? AND state = 'claimed' AND owner_host = ? AND "
          "owner_pid = ? AND owner_started = ?")
      .bind(seconds, cell.id, owner_.host, owner_.pid, owner_.started)
      .run();
  return database_.changed_rows() == 1;
}

bool Store::finish(const Cell& cell, const Score& score, double seconds) {
  Transaction transaction(database_);
  if (!mark_done(cell, seconds)) return false;
  if (score.evidence()) {
    insert_evidence(database_, cell, *score.evidence());
  } else if (score.risk()) {
    insert_risk(database_, cell, *score.risk());
  } else {
    insert_into(database_, scores_table)
        .bind(cell.id, score.failure(), score.ok() ? std::optional(score.value()) : std::nullopt)
        .run();
  }
  seal_result(database_, cell.id);
  transaction.commit();
  return true;
}

bool Store::finish(const Cell& cell, const TrainingSummary& summary, bool classification) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Metrics test = summary.test.value_or(Metrics{});
  Transaction transaction(database_);
  if (!mark_done(cell, summary.seconds)) return false;
  insert_into(database_, training_table)
      .bind(cell.id, summary.diverged || !classification ? none : test.accuracy.value_or(none),
            summary.diverged || classification ? none : test.rmse.value_or(none), test.loss, summary.train.loss,
            std::int64_t{summary.diverged}, summary.seconds_per_epoch, std::int64_t{summary.resumed_epochs})
      .run();
  Statement insert = insert_into(database_, epochs_table);
  for (const EpochRecord& record : summary.history) {
    const Metrics after = record.test.value_or(Metrics{});
    insert
        .bind(cell.id, std::int64_t{record.epoch}, record.train_loss, record.train_accuracy, after.accuracy, after.rmse)
        .run();
  }
  seal_result(database_, cell.id);
  transaction.commit();
  return true;
}

std::vector<StoredScore> Store::scores() {
  std::vector<StoredScore> found;
  read_evidence(found);
  read_risks(found);
  read_other_scores(found);
  return found;
}

void Store::read_evidence(std::vector<StoredScore>& found) {
  Statement row = database_.prepare(
      "SELECT kind, size, prior, status, log_marginal_likelihood, per_value, noise_variance, jitter, failed_pivot "
      "FROM cells JOIN evidence ON cell = id ORDER BY id");
  while (row.step()) {
    found.push_back({row.text(0), row.integer(1), row.text(2),
                     Evidence{.status = parse_status(row.text(3)),
                              .log_marginal_likelihood = row.real(4),
                              .per_value = row.real(5),
                              .noise_variance = row.real(6),
                              .jitter = row.real(7),
                              .failed_pivot = row.integer(8)}});
  }
}

void Store::read_risks(std::vector<StoredScore>& found) {
  // In format 1 the table was made when it was first needed, and the cells that it refers to are those of the evidence.
  if (!has_table(database_, "risks")) return;
  Statement row = database_.prepare(
      "SELECT kind, size, prior, failure, error, standard_error, data_error, initialisation_error, accuracy, ridge "
      "FROM cells JOIN risks ON cell = id ORDER BY id");
  while (row.step()) {
    const std::string kind = row.text(0);
    found.push_back({kind == evidence_kind ? risk_kind : kind, row.integer(1), row.text(2),
                     TrainedRisk{.failure = row.text(3),
                                 .error = row.real(4),
                                 .standard_error = row.real(5),
                                 .data_error = row.real(6),
                                 .initialisation_error = row.real(7),
                                 .accuracy = row.optional_real(8),
                                 .ridge = row.real(9)}});
  }
}

void Store::read_other_scores(std::vector<StoredScore>& found) {
  if (!has_table(database_, "scores")) return;
  Statement row =
      database_.prepare("SELECT kind, size, prior, failure, value FROM cells JOIN scores ON cell = id ORDER BY id");
  while (row.step()) {
    const std::string failure = row.text(3);
    const double value = row.real(4);
    if (failure.empty() && !std::isfinite(value)) {
      throw Error(ErrorKind::data, fmt::format("'{}' has a score by {} of {}, which is no figure; it is damaged",
                                               path_.string(), row.text(0), value));
    }
    found.push_back(
        {row.text(0), row.integer(1), row.text(2), failure.empty() ? Score::of(value) : Score::failed(failure)});
  }
}

std::vector<StoredTraining> Store::training() {
  std::vector<StoredTraining> found;
  Statement row = database_.prepare(
      "SELECT id, size, prior, seed, coalesce(accuracy, rmse), train_loss FROM cells JOIN training ON cell = id "
      "ORDER BY id");
  while (row.step()) {
    const Cell cell{.id = row.integer(0),
                    .kind = training_kind,
                    .size = row.integer(1),
                    .start = row.text(2),
                    .seed = static_cast<std::uint64_t>(row.integer(3)),
                    .done = true};
    found.push_back({cell, row.real(4), row.real(5), {}, {}});
  }
  read_curves(found);
  return found;
}

void Store::read_curves(std::vector<StoredTraining>& cells) {
  Statement row = database_.prepare(
      "SELECT cell, coalesce(test_accuracy, test_rmse), coalesce(train_accuracy, train_loss) FROM epochs "
      "ORDER BY cell, epoch");
  auto place = cells.begin();
  while (row.step()) {
    while (place != cells.end() && place->cell.id < row.integer(0)) ++place;
    if (place == cells.end()) break;
    if (place->cell.id != row.integer(0)) continue;
    place->curve.push_back(row.real(1));
    place->train_curve.push_back(row.real(2));
  }
}

}  // namespace priorfit::internal
