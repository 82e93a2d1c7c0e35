// The tables of an experiment's database, and how those of earlier versions become them.
//
// Open to any SQL client: meta(key, value) holds the specification and facts about the data; cells(id, kind, size,
// prior, weight_variance, bias_variance, seed, state, …) the work, whose kind is the name of a criterion or "training";
// evidence(cell, …), risks(cell, …) and scores(cell, …) what criteria said; training(cell, …) and epochs(cell, epoch,
// …) what networks did; checks(cell, checksum) guards them (integrity.hpp). The text in `prior` identifies an
// initialisation (start_key.hpp); the variances beside it are for whoever looks.
#pragma once

#include "experiment/database.hpp"
#include "experiment/owner.hpp"

namespace priorfit::internal {

/// 1: cells were evidence or training, and a row of `risks` belonged to a cell of evidence. 2: no checksums. 3: as
/// above.
inline constexpr std::int64_t database_format = 3;

inline constexpr const char* make_checks = "CREATE TABLE checks (cell INTEGER PRIMARY KEY, checksum INTEGER NOT NULL);";

/// A table of results, and its columns in the order that they were made in. Readers, writers and checksums go by their
/// names, so that columns which swapped theirs are noticed.
struct ResultTable {
  const char* name;
  const char* columns;
};
inline constexpr ResultTable evidence_table = {
    "evidence", "cell, status, log_marginal_likelihood, per_value, noise_variance, jitter, failed_pivot"};
inline constexpr ResultTable risks_table = {
    "risks", "cell, failure, error, standard_error, data_error, initialisation_error, accuracy, ridge"};
inline constexpr ResultTable scores_table = {"scores", "cell, failure, value"};
inline constexpr ResultTable training_table = {
    "training", "cell, accuracy, rmse, test_loss, train_loss, diverged, seconds_per_epoch, resumed_epochs"};
inline constexpr ResultTable epochs_table = {"epochs",
                                             "cell, epoch, train_loss, train_accuracy, test_accuracy, test_rmse"};

/// 0 for an empty database.
std::int64_t stored_format(Database& database);

/// All tables, within the caller's transaction.
void create_tables(Database& database);

/// From an earlier format, within the caller's transaction, with foreign keys off (ForeignKeysOff). Cells keep their
/// numbers, by which checkpoints are named. Throws Error(usage) while another process works on the database: one that
/// knows only that format would misread the cells or leave out checksums.
void upgrade_tables(Database& database, const Owner& owner);

bool has_table(Database& database, const std::string& name);

/// For the time that tables are replaced. SQLite ignores it within a transaction, so it comes before.
class ForeignKeysOff {
 public:
  explicit ForeignKeysOff(Database& database) : database_(database) { database_.execute("PRAGMA foreign_keys = OFF"); }
  ~ForeignKeysOff();
  ForeignKeysOff(const ForeignKeysOff&) = delete;
  ForeignKeysOff& operator=(const ForeignKeysOff&) = delete;

 private:
  Database& database_;
};

}  // namespace priorfit::internal
