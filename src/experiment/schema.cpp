#include "experiment/schema.hpp"

#include <fmt/format.h>

#include "experiment/integrity.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

std::string make_cells(const char* name) {
  return fmt::format(R"(
CREATE TABLE {} (
  id INTEGER PRIMARY KEY,              -- ascending in the order of work
  kind TEXT NOT NULL,
  size INTEGER NOT NULL,
  prior TEXT NOT NULL,
  weight_variance REAL NOT NULL,
  bias_variance REAL NOT NULL,
  seed INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'claimed', 'done')),
  owner_host TEXT, owner_pid INTEGER, owner_started INTEGER, heartbeat INTEGER,
  times_claimed INTEGER NOT NULL DEFAULT 0,
  seconds REAL,
  UNIQUE (kind, size, prior, seed));
)",
                     name);
}

std::string make_risks(const char* name) {
  return fmt::format(R"(
CREATE TABLE IF NOT EXISTS {} (
  cell INTEGER PRIMARY KEY REFERENCES cells(id),
  failure TEXT NOT NULL, error REAL, standard_error REAL, data_error REAL, initialisation_error REAL, accuracy REAL,
  ridge REAL);
)",
                     name);
}

constexpr const char* make_scores = R"(
CREATE TABLE scores (
  cell INTEGER PRIMARY KEY REFERENCES cells(id),
  failure TEXT NOT NULL, value REAL);
)";

constexpr const char* make_others = R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE evidence (
  cell INTEGER PRIMARY KEY REFERENCES cells(id),
  status TEXT NOT NULL, log_marginal_likelihood REAL, per_value REAL,
  noise_variance REAL NOT NULL, jitter REAL NOT NULL, failed_pivot INTEGER NOT NULL);
CREATE TABLE training (
  cell INTEGER PRIMARY KEY REFERENCES cells(id),
  accuracy REAL, rmse REAL, test_loss REAL, train_loss REAL, diverged INTEGER NOT NULL,
  seconds_per_epoch REAL, resumed_epochs INTEGER NOT NULL);
CREATE TABLE epochs (
  cell INTEGER NOT NULL REFERENCES cells(id), epoch INTEGER NOT NULL,
  train_loss REAL, train_accuracy REAL, test_accuracy REAL, test_rmse REAL,
  PRIMARY KEY (cell, epoch)) WITHOUT ROWID;
)";

constexpr const char* copy_from_format_1 = R"(
INSERT INTO new_cells
  SELECT id, kind, size, prior, weight_variance, bias_variance, seed, state, owner_host, owner_pid, owner_started,
         heartbeat, times_claimed, seconds FROM cells;
INSERT INTO new_cells (kind, size, prior, weight_variance, bias_variance, seed, state)
  SELECT 'trained-risk', size, prior, weight_variance, bias_variance, 0, 'done'
  FROM cells JOIN risks ON cell = id ORDER BY id;
INSERT INTO new_risks
  SELECT own.id, failure, error, standard_error, data_error, initialisation_error, accuracy, ridge
  FROM risks JOIN cells AS judged ON judged.id = cell
             JOIN new_cells AS own ON own.kind = 'trained-risk' AND own.size = judged.size AND own.prior = judged.prior;
DROP TABLE risks;
DROP TABLE cells;
ALTER TABLE new_cells RENAME TO cells;
ALTER TABLE new_risks RENAME TO risks;
)";

void set_format(Database& database) {
  database.execute(fmt::format("PRAGMA user_version = {}", database_format).c_str());
}

void require_idle(Database& database, const Owner& owner) {
  Statement row =
      database.prepare("SELECT owner_host, owner_pid, owner_started, heartbeat FROM cells WHERE state = 'claimed'");
  while (row.step()) {
    const Owner holder{row.text(0), row.integer(1), row.integer(2)};
    if (holder == owner || !is_alive(holder, row.integer(3), unix_seconds())) continue;
    throw Error(ErrorKind::usage,
                fmt::format("process {} is working on this experiment with an older version of priorfit; let it finish "
                            "or stop it, and then continue",
                            holder.pid));
  }
}

}  // namespace

std::int64_t stored_format(Database& database) {
  Statement row = database.prepare("PRAGMA user_version");
  row.step();
  return row.integer(0);
}

bool has_table(Database& database, const std::string& name) {
  Statement row = database.prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?");
  row.bind(name).step();
  return row.integer(0) > 0;
}

void create_tables(Database& database) {
  database.execute(make_cells("cells").c_str());
  database.execute(make_others);
  database.execute(make_risks("risks").c_str());
  database.execute(make_scores);
  database.execute(make_checks);
  set_format(database);
}

void upgrade_tables(Database& database, const Owner& owner) {
  require_idle(database, owner);
  if (stored_format(database) == 1) {
    database.execute(make_risks("risks").c_str());  // made only when it was first needed
    database.execute(make_cells("new_cells").c_str());
    database.execute(make_risks("new_risks").c_str());
    database.execute(copy_from_format_1);
    database.execute(make_scores);
  }
  seal_all(database);
  set_format(database);
}

ForeignKeysOff::~ForeignKeysOff() {
  try {
    database_.execute("PRAGMA foreign_keys = ON");
  } catch (const Error&) {  // the keys guard against mistakes of ours; without them the data are the same
  }
}

}  // namespace priorfit::internal
