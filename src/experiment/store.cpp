#include "experiment/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "priorfit/error.hpp"

namespace priorfit {
namespace {

constexpr std::int64_t schema_version = 1;

constexpr const char* schema = R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE cells (
  id INTEGER PRIMARY KEY,              -- ascending in the order of work
  kind TEXT NOT NULL CHECK (kind IN ('evidence', 'training')),
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
PRAGMA user_version = 1;
)";

// Databases of before have no such table; it is added when it is first needed.
constexpr const char* risk_schema = R"(
CREATE TABLE IF NOT EXISTS risks (
  cell INTEGER PRIMARY KEY REFERENCES cells(id),
  failure TEXT NOT NULL, error REAL, standard_error REAL, data_error REAL, initialisation_error REAL, accuracy REAL,
  ridge REAL);
)";

constexpr const char* cell_columns = "id, kind, size, prior, seed";

std::string kind_text(CellKind kind) { return kind == CellKind::evidence ? "evidence" : "training"; }

Cell read_cell(const Statement& row) {
  return {row.integer(0), row.text(1) == "evidence" ? CellKind::evidence : CellKind::training, row.integer(2),
          parse_start_key(row.text(3)), static_cast<std::uint64_t>(row.integer(4))};
}

EvidenceStatus parse_status(const std::string& text) {
  for (const auto status : {EvidenceStatus::ok, EvidenceStatus::jittered, EvidenceStatus::not_positive_definite}) {
    if (to_string(status) == text) return status;
  }
  return EvidenceStatus::not_finite;
}

std::string select(const char* rest) { return fmt::format("SELECT {} {}", cell_columns, rest); }

}  // namespace

std::string start_key(const Initialisation& start) {
  if (start.scheme()) return fmt::format("scheme={}", to_string(*start.scheme()));
  const LayerPrior prior = *start.prior();
  std::string key = fmt::format("weight_variance={} bias_variance={}", prior.weight_variance, prior.bias_variance);
  if (prior.output_weight_variance) key += fmt::format(" output_weight_variance={}", *prior.output_weight_variance);
  return key;
}

Initialisation parse_start_key(const std::string& key) {
  std::istringstream words(key);
  LayerPrior prior;
  for (std::string word; words >> word;) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals), value = word.substr(std::min(equals + 1, word.size()));
    if (name == "scheme") return parse_initial_scheme(value);
    double number = std::nan("");
    std::from_chars(value.data(), value.data() + value.size(), number);
    if (name == "weight_variance") prior.weight_variance = number;
    if (name == "bias_variance") prior.bias_variance = number;
    if (name == "output_weight_variance") prior.output_weight_variance = number;
  }
  prior.validate();
  return prior;
}

std::string Cell::name() const {
  const std::string pair = fmt::format("N = {} {}", size, start.name());
  return kind == CellKind::evidence ? "evidence " + pair : fmt::format("train {} seed {}", pair, seed);
}

Store::Store(const std::filesystem::path& path, Database::Mode mode, Owner owner)
    : database_(path, mode), owner_(std::move(owner)), path_(path) {}

void Store::create_or_check(const Entries& entries, const Entries& defaults, const Entries& facts,
                            const std::vector<Cell>& cells) {
  Transaction transaction(database_);
  Statement version = database_.prepare("PRAGMA user_version");
  version.step();
  const std::int64_t found = version.integer(0);
  version.step();
  if (found == 0) {
    create(entries, facts, cells);
  } else if (found != schema_version) {
    throw Error(ErrorKind::data, fmt::format("'{}' was written by another version of priorfit (format {}, this one "
                                             "reads {})",
                                             path_.string(), found, schema_version));
  } else {
    check(entries, defaults);
    for (const auto& [key, value] : facts) {  // of the same data, and perhaps more of them than before
      database_.prepare("INSERT OR REPLACE INTO meta VALUES (?, ?)").bind(key, value).run();
    }
  }
  transaction.commit();
}

void Store::create(const Entries& entries, const Entries& facts, const std::vector<Cell>& cells) {
  database_.execute(schema);
  for (const Entries* list : {&entries, &facts}) {
    for (const auto& [key, value] : *list) {
      database_.prepare("INSERT INTO meta VALUES (?, ?)").bind(key, value).run();
    }
  }
  for (const Cell& cell : cells) {
    database_
        .prepare(
            "INSERT INTO cells (kind, size, prior, weight_variance, bias_variance, seed) VALUES (?, ?, ?, ?, ?, ?)")
        .bind(kind_text(cell.kind), std::int64_t{cell.size}, start_key(cell.start),
              cell.start.prior().value_or(LayerPrior{0.0, 0.0}).weight_variance,
              cell.start.prior().value_or(LayerPrior{0.0, 0.0}).bias_variance, static_cast<std::int64_t>(cell.seed))
        .run();
  }
}

std::optional<std::string> Store::find(const std::string& key) {
  Statement row = database_.prepare("SELECT value FROM meta WHERE key = ?");
  if (!row.bind(key).step()) return std::nullopt;
  return row.text(0);
}

void Store::check(const Entries& entries, const Entries& defaults) {
  for (const auto& [key, value] : entries) {
    const auto usual =
        std::find_if(defaults.begin(), defaults.end(), [&key = key](const auto& e) { return e.first == key; });
    const std::string stored = find(key).value_or(usual != defaults.end() ? usual->second : std::string());
    if (stored == value) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("'{}' holds an experiment with {} = {}, and {} is asked for now; take another --out folder, "
                    "or the old value",
                    path_.parent_path().string(), key, stored, value));
  }
}

Entries Store::entries(const Entries& keys) {
  Entries found;
  for (const auto& [key, ignored] : keys) {
    if (const auto value = find(key)) found.emplace_back(key, *value);
  }
  return found;
}

std::string Store::fact(const std::string& key) {
  const auto value = find(key);
  if (!value) throw Error(ErrorKind::data, fmt::format("'{}' has no entry '{}'", path_.string(), key));
  return *value;
}

std::optional<Cell> Store::claim() {
  Transaction transaction(database_);
  const std::int64_t now = unix_seconds();
  std::optional<Cell> chosen;
  std::set<Index> busy_sizes;  // whose evidence another process is at
  {
    const std::string sql = fmt::format(
        "SELECT {}, state, owner_host, owner_pid, owner_started, heartbeat FROM cells "
        "WHERE state != 'done' ORDER BY id",
        cell_columns);
    std::vector<Cell> free;
    for (Statement row = database_.prepare(sql.c_str()); row.step();) {
      const Cell cell = read_cell(row);
      const Owner owner{row.text(6), row.integer(7), row.integer(8)};
      const bool held = row.text(5) == "claimed" && is_alive(owner, row.integer(9), now) && owner != owner_;
      if (!held) free.push_back(cell);
      if (held && cell.kind == CellKind::evidence) busy_sizes.insert(cell.size);
    }
    for (const Cell& cell : free) {
      if (cell.kind == CellKind::evidence && busy_sizes.contains(cell.size)) continue;
      chosen = cell;
      break;
    }
  }
  if (chosen) {
    database_
        .prepare(
            "UPDATE cells SET state = 'claimed', owner_host = ?, owner_pid = ?, owner_started = ?, heartbeat = ?, "
            "times_claimed = times_claimed + 1 WHERE id = ?")
        .bind(owner_.host, owner_.pid, owner_.started, now, chosen->id)
        .run();
  }
  transaction.commit();
  return chosen;
}

void Store::release(const Cell& cell) {
  database_
      .prepare(
          "UPDATE cells SET state = 'open' WHERE id = ? AND state = 'claimed' AND owner_host = ? AND owner_pid = ? "
          "AND owner_started = ?")
      .bind(cell.id, owner_.host, owner_.pid, owner_.started)
      .run();
}

void Store::beat(const Cell& cell) {
  database_
      .prepare(
          "UPDATE cells SET heartbeat = ? WHERE id = ? AND state = 'claimed' AND owner_host = ? AND owner_pid = ? "
          "AND owner_started = ?")
      .bind(unix_seconds(), cell.id, owner_.host, owner_.pid, owner_.started)
      .run();
}

bool Store::mark_done(const Cell& cell, double seconds) {
  database_
      .prepare(
          "UPDATE cells SET state = 'done', seconds = ? WHERE id = ? AND state = 'claimed' AND owner_host = ? AND "
          "owner_pid = ? AND owner_started = ?")
      .bind(seconds, cell.id, owner_.host, owner_.pid, owner_.started)
      .run();
  return database_.changed_rows() == 1;
}

void Store::finish(const Cell& cell, const Evidence& evidence, double seconds) {
  Transaction transaction(database_);
  if (!mark_done(cell, seconds)) return;
  database_.prepare("INSERT INTO evidence VALUES (?, ?, ?, ?, ?, ?, ?)")
      .bind(cell.id, std::string(to_string(evidence.status)), evidence.log_marginal_likelihood, evidence.per_value,
            evidence.noise_variance, evidence.jitter, std::int64_t{evidence.failed_pivot})
      .run();
  transaction.commit();
}

void Store::finish(const Cell& cell, const TrainingSummary& summary, bool classification) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Metrics test = summary.test.value_or(Metrics{});
  Transaction transaction(database_);
  if (!mark_done(cell, summary.seconds)) return;
  database_.prepare("INSERT INTO training VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(cell.id, summary.diverged || !classification ? none : test.accuracy.value_or(none),
            summary.diverged || classification ? none : test.rmse.value_or(none), test.loss, summary.train.loss,
            std::int64_t{summary.diverged}, summary.seconds_per_epoch, std::int64_t{summary.resumed_epochs})
      .run();
  Statement insert = database_.prepare("INSERT INTO epochs VALUES (?, ?, ?, ?, ?, ?)");
  for (const EpochRecord& record : summary.history) {
    const Metrics after = record.test.value_or(Metrics{});
    insert
        .bind(cell.id, std::int64_t{record.epoch}, record.train_loss, record.train_accuracy, after.accuracy, after.rmse)
        .run();
  }
  transaction.commit();
}

std::vector<Cell> Store::cells_without_risk() {
  database_.execute(risk_schema);
  std::vector<Cell> cells;
  const std::string sql =
      select("FROM cells WHERE kind = 'evidence' AND id NOT IN (SELECT cell FROM risks) ORDER BY id");
  for (Statement row = database_.prepare(sql.c_str()); row.step();) cells.push_back(read_cell(row));
  return cells;
}

void Store::add_risk(const Cell& cell, const TrainedRisk& risk) {
  database_.prepare("INSERT OR REPLACE INTO risks VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(cell.id, risk.failure, risk.error, risk.standard_error, risk.data_error, risk.initialisation_error,
            risk.accuracy, risk.ridge)
      .run();
}

std::vector<std::pair<Cell, TrainedRisk>> Store::risks() {
  std::vector<std::pair<Cell, TrainedRisk>> found;
  Statement table = database_.prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'risks'");
  table.step();
  if (table.integer(0) == 0) return found;
  const std::string sql = fmt::format(
      "SELECT {}, failure, error, standard_error, data_error, initialisation_error, "
      "accuracy, ridge FROM cells JOIN risks ON cell = id ORDER BY id",
      cell_columns);
  for (Statement row = database_.prepare(sql.c_str()); row.step();) {
    found.emplace_back(read_cell(row), TrainedRisk{.failure = row.text(5),
                                                   .error = row.real(6),
                                                   .standard_error = row.real(7),
                                                   .data_error = row.real(8),
                                                   .initialisation_error = row.real(9),
                                                   .accuracy = row.optional_real(10),
                                                   .ridge = row.real(11)});
  }
  return found;
}

std::vector<Cell> Store::unfinished() {
  std::vector<Cell> cells;
  const std::string sql = select("FROM cells WHERE state != 'done' ORDER BY id");
  for (Statement row = database_.prepare(sql.c_str()); row.step();) cells.push_back(read_cell(row));
  return cells;
}

Index Store::count() {
  Statement row = database_.prepare("SELECT count(*) FROM cells");
  row.step();
  return row.integer(0);
}

std::vector<std::pair<Cell, Evidence>> Store::evidence() {
  std::vector<std::pair<Cell, Evidence>> found;
  const std::string sql = fmt::format(
      "SELECT {}, status, log_marginal_likelihood, per_value, noise_variance, jitter, failed_pivot "
      "FROM cells JOIN evidence ON cell = id ORDER BY id",
      cell_columns);
  for (Statement row = database_.prepare(sql.c_str()); row.step();) {
    found.emplace_back(read_cell(row), Evidence{.status = parse_status(row.text(5)),
                                                .log_marginal_likelihood = row.real(6),
                                                .per_value = row.real(7),
                                                .noise_variance = row.real(8),
                                                .jitter = row.real(9),
                                                .failed_pivot = row.integer(10)});
  }
  return found;
}

std::vector<StoredTraining> Store::training() {
  std::vector<StoredTraining> found;
  const std::string sql =
      fmt::format("SELECT {}, coalesce(accuracy, rmse), train_loss FROM cells JOIN training ON cell = id ORDER BY id",
                  cell_columns);
  for (Statement row = database_.prepare(sql.c_str()); row.step();) {
    found.push_back({read_cell(row), row.real(5), row.real(6), {}, {}});
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

}  // namespace priorfit
