// An experiment's database, with some of its values or bytes changed: it is refused, or gives what it gave before. What
// the bytes say: the first, whether bytes or values are changed; then one change after another.
#include "experiment/store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "experiment/start_key.hpp"
#include "harness.hpp"

namespace {

using namespace priorfit;
using namespace priorfit::internal;

const Kinds kinds = {evidence_kind, risk_kind, training_kind, "own"};

/// Nine cells of four kinds, two of them not done.
void make_store(const std::filesystem::path& path) {
  std::vector<Cell> cells;
  for (const char* kind : {evidence_kind, risk_kind, "own", training_kind}) {
    for (const double weight_variance : {1.0, 2.0}) {
      const Initialisation start = Initialisation::tied(NetworkSpec::uniform(1), {weight_variance, 0.0});
      cells.push_back({.kind = kind, .size = 100, .start = start_key(start), .seed = kind == training_kind ? 1U : 0U});
    }
  }
  cells.push_back({.kind = evidence_kind, .size = 200, .start = cells[0].start});
  Store store(path, Database::Mode::create, this_process());
  store.create_or_check({{"training.epochs", "5"}, {"data", "digits"}}, {}, {{"rows", "100"}}, cells);
  for (int done = 0; done < 7; ++done) {
    const std::optional<Cell> cell = store.claim(kinds);
    if (!cell) std::abort();
    if (cell->kind == evidence_kind) store.finish(*cell, Evidence{.log_marginal_likelihood = -12.5 - done}, 1.0);
    if (cell->kind == risk_kind) store.finish(*cell, TrainedRisk{.error = 0.25, .accuracy = 0.5}, 1.0);
    if (cell->kind == "own") store.finish(*cell, done % 2 == 0 ? Score::of(3.0) : Score::failed("why"), 1.0);
    if (cell->kind == training_kind) {
      TrainingSummary summary;
      summary.test = Metrics{.samples = 10, .loss = 0.5, .accuracy = 0.9};
      for (Index epoch = 1; epoch <= 5; ++epoch) {
        summary.history.push_back({epoch, 1.0 / double(epoch), 0.5, Metrics{.accuracy = 0.02 * double(epoch)}, {}});
      }
      store.finish(*cell, summary, true);
    }
  }
}

/// Everything that a result is made of, one text per cell, score and training.
std::set<std::string> results(const std::filesystem::path& path) {
  Store store(path, Database::Mode::existing, this_process());
  store.require_sound();
  std::set<std::string> all;
  for (const Cell& c : store.cells()) all.insert(fmt::format("{} {} {} {} {}", c.id, c.kind, c.size, c.start, c.seed));
  for (const StoredScore& s : store.scores()) {
    all.insert(fmt::format("{} {} {} {}", s.criterion, s.size, s.start,
                           s.score.ok() ? fmt::format("{}", s.score.value()) : s.score.failure()));
  }
  for (const StoredTraining& t : store.training()) {
    std::string text = fmt::format("{} {} {}", t.cell.id, t.score, t.final_loss);
    for (const double value : t.curve) text += fmt::format(" {}", value);
    for (const double value : t.train_curve) text += fmt::format(" {}", value);
    all.insert(text);
  }
  for (const char* key : {"training.epochs", "data", "rows"}) all.insert(fmt::format("{} {}", key, store.fact(key)));
  return all;
}

/// Reads the fuzzer's bytes as choices; zeros behind their end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  bool more() const { return !bytes_.empty(); }
  unsigned byte() {
    if (bytes_.empty()) return 0;
    const auto value = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return value;
  }
  std::string text() {
    const std::string found(bytes_.substr(0, byte() % 24));
    bytes_.remove_prefix(std::min(bytes_.size(), found.size()));
    return found;
  }

 private:
  std::string_view bytes_;
};

void change_bytes(std::string& store, Choices& choices) {
  while (choices.more()) {
    const std::size_t place = (choices.byte() << 16 | choices.byte() << 8 | choices.byte()) % store.size();
    store[place] = static_cast<char>(choices.byte());
  }
}

std::string value(Choices& choices) {
  switch (choices.byte() % 8) {
    case 0: return "NULL";
    case 1: return "0";
    case 2: return "-1";
    case 3: return "9e999";
    case 4: return "'done'";
    case 5: return "9223372036854775807";
    case 6: return fmt::format("{}", static_cast<int>(choices.byte()));
    default: {
      std::string quoted = "x'";
      for (const char c : choices.text()) quoted += fmt::format("{:02x}", static_cast<unsigned char>(c));
      return quoted + "'";
    }
  }
}

/// One statement that changes the database, however little sense it makes.
std::string statement(Choices& choices) {
  constexpr std::array tables = {"cells", "evidence", "risks", "scores", "training", "epochs", "checks", "meta"};
  constexpr std::array columns = {"rowid",
                                  "id",
                                  "cell",
                                  "kind",
                                  "size",
                                  "prior",
                                  "seed",
                                  "state",
                                  "status",
                                  "checksum",
                                  "failure",
                                  "value",
                                  "log_marginal_likelihood",
                                  "error",
                                  "epoch",
                                  "key",
                                  "accuracy",
                                  "train_loss",
                                  "test_accuracy",
                                  "heartbeat"};
  const char* const table = tables[choices.byte() % tables.size()];
  const char* const column = columns[choices.byte() % columns.size()];
  const unsigned row = choices.byte() % 10;
  switch (choices.byte() % 10) {
    case 0: return fmt::format("DELETE FROM {} WHERE rowid = {}", table, row);
    case 1: return fmt::format("DROP TABLE {}", table);
    case 2: return fmt::format("ALTER TABLE {} RENAME COLUMN {} TO other", table, column);
    case 3: return fmt::format("PRAGMA user_version = {}", static_cast<int>(choices.byte()) - 3);
    case 4: return fmt::format("UPDATE {} SET {} = {}", table, column, value(choices));
    case 5: return fmt::format("INSERT OR REPLACE INTO {} SELECT * FROM {} WHERE rowid = {}", table, table, row);
    case 6: return fmt::format("CREATE TRIGGER t{} AFTER UPDATE ON {} BEGIN DELETE FROM cells; END", row, table);
    default: return fmt::format("UPDATE {} SET {} = {} WHERE rowid = {}", table, column, value(choices), row);
  }
}

void change_values(const std::filesystem::path& path, Choices& choices) {
  sqlite3* handle = nullptr;
  if (sqlite3_open(path.c_str(), &handle) != SQLITE_OK) std::abort();
  sqlite3_exec(handle, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA ignore_check_constraints = ON",
               nullptr, nullptr, nullptr);
  for (int i = 0; i < 8 && choices.more(); ++i) {
    sqlite3_exec(handle, statement(choices).c_str(), nullptr, nullptr, nullptr);
  }
  sqlite3_close(handle);
}

}  // namespace

PRIORFIT_FUZZ(bytes) {
  static const fuzz::Folder folder;
  static const std::filesystem::path path = folder.path("experiment.sqlite");
  static const std::string sound = [] {
    make_store(path);
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  static const std::set<std::string> expected = results(path);

  Choices choices(bytes);
  std::string changed = sound;
  const bool of_bytes = choices.byte() % 2 == 0;
  if (of_bytes) change_bytes(changed, choices);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
  if (!of_bytes) change_values(path, choices);
  // A cell that was set back to open has its result still; nothing may be there that was not there before.
  for (const std::string& line : results(path)) {
    if (!expected.contains(line)) {
      std::fprintf(stderr, "store: not what it held: %s\n", line.c_str());
      std::abort();
    }
  }
}
