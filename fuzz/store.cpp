// An experiment's database, with some of its values or bytes changed: it is refused, or gives what it gave before. One
// of an earlier format has no checksums, so what is changed there is believed; it is brought to the present one, or
// refused. What the bytes say: the first, whether bytes or values are changed, of which database, and whether it is
// worked on afterwards; then one change after another.
#include "experiment/store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "experiment/schema.hpp"
#include "experiment/start_key.hpp"
#include "harness.hpp"
#include "memory_files.hpp"
#include "priorfit/error.hpp"

extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void __libc_free(void*);

namespace {

using namespace priorfit;
using namespace priorfit::internal;

const Kinds kinds = {evidence_kind, risk_kind, training_kind, "own"};

const Owner owner = this_process();

// SQLite allocates some thousand times for each database, which in the sanitizer's allocator took half of an execution
// and finds little, for SQLite is not instrumented. From libc's it takes the same; what it holds is counted here, and
// is what it was before when nothing is open any more.
struct alignas(16) Block {
  std::size_t size;
};
std::int64_t held_by_sqlite = 0;

void count(std::int64_t bytes) {
  held_by_sqlite += bytes;
  fuzz::count_memory(bytes);
}

Block* block_of(void* memory) { return static_cast<Block*>(memory) - 1; }

void* allocate(int size) {
  auto* const block = static_cast<Block*>(__libc_malloc(sizeof(Block) + static_cast<std::size_t>(size)));
  if (block == nullptr) return nullptr;
  block->size = static_cast<std::size_t>(size);
  count(size);
  return block + 1;
}

void release(void* memory) {
  if (memory == nullptr) return;
  count(-static_cast<std::int64_t>(block_of(memory)->size));
  __libc_free(block_of(memory));
}

void* allocate_anew(void* memory, int size) {
  const auto before = static_cast<std::int64_t>(block_of(memory)->size);
  auto* const block =
      static_cast<Block*>(__libc_realloc(block_of(memory), sizeof(Block) + static_cast<std::size_t>(size)));
  if (block == nullptr) return nullptr;
  block->size = static_cast<std::size_t>(size);
  count(size - before);
  return block + 1;
}

[[maybe_unused]] const bool configured = [] {
  static sqlite3_mem_methods methods = {allocate,
                                        release,
                                        allocate_anew,
                                        [](void* memory) { return static_cast<int>(block_of(memory)->size); },
                                        [](int size) { return (size + 7) / 8 * 8; },
                                        [](void*) { return SQLITE_OK; },
                                        [](void*) {},
                                        nullptr};
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
         sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK &&
         sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK && sqlite3_initialize() == SQLITE_OK;
}();

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
  Store store(path, Database::Mode::create, owner);
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
std::set<std::string> results(Store& store) {
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
  switch (choices.byte() % 10) {
    case 0: return "NULL";
    case 1: return "0";
    case 2: return "-1";
    case 3: return "9e999";
    case 4: return "'done'";
    case 5: return "9223372036854775807";
    case 6: return fmt::format("{}", static_cast<int>(choices.byte()));
    case 8: return "'claimed'";
    case 9: return "-9223372036854775807 - 1";
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

/// What earlier versions left, as a database.
std::string from_sql(const char* name) {
  const std::filesystem::path path = std::string(fuzz::memory_root) + name;
  std::ifstream sql(std::string(PRIORFIT_FIXTURES) + "/experiment/fixtures/" + name);
  const std::string text(std::istreambuf_iterator<char>(sql), {});
  Database(path, Database::Mode::create).execute(text.c_str());
  return *fuzz::find_file(path);
}

/// Of the format before checksums.
std::string without_checks(const std::filesystem::path& path) {
  Database(path, Database::Mode::existing).execute("DROP TABLE checks; PRAGMA user_version = 2");
  return *fuzz::find_file(path);
}

/// As an experiment goes on: what an earlier version left is upgraded, cells are taken, finished and given back.
void work_on(Store& store) {
  store.create_or_check({{"new", "value"}}, {{"new", "value"}}, {{"rows", "100"}}, {});
  store.set_patience(std::chrono::milliseconds(0));
  store.add_criterion("another");
  if (const auto cell = store.claim({training_kind})) store.finish(*cell, TrainingSummary{}, false);
  if (const auto cell = store.claim({"another"})) store.finish(*cell, Score::of(1.0), 0.5);
  if (const auto cell = store.claim(kinds)) {
    store.beat(*cell);
    store.release(*cell);
  }
  store.holders();
  results(store);
}

/// A cell that was set back to open has its result still; nothing may be there that was not there before. Unless the
/// database became one of an earlier format, without checksums.
void require_known(const std::set<std::string>& found, const std::set<std::string>& expected,
                   const std::filesystem::path& path) {
  for (const std::string& line : found) {
    if (expected.contains(line)) continue;
    Database database(path, Database::Mode::existing);
    if (stored_format(database) < 3) return;
    std::fprintf(stderr, "store: not what it held: %s\n", line.c_str());
    std::abort();
  }
}

void require_released(std::int64_t held) {
  if (held_by_sqlite <= held) return;
  std::fprintf(stderr, "store: SQLite still holds %lld bytes\n", static_cast<long long>(held_by_sqlite - held));
  std::abort();
}

}  // namespace

PRIORFIT_FUZZ(bytes) {
  static const fuzz::Folder folder;
  static const std::filesystem::path path = folder.path("experiment.sqlite");
  static const std::array<std::string, 4> sound = [] {
    make_store(path);
    const std::string present = *fuzz::find_file(path);
    return std::array{present, without_checks(path), from_sql("format_1_done.sql"), from_sql("format_1_cut.sql")};
  }();
  static const std::set<std::string> expected = [] {
    folder.set("experiment.sqlite", sound[0]);
    Store store(path, Database::Mode::existing, owner);
    return results(store);
  }();

  Choices choices(bytes);
  const unsigned first = choices.byte();
  const bool of_bytes = first % 2 == 0, worked_on = (first / 8) % 2 == 1;
  const std::size_t chosen = first / 2 % 4;
  std::string changed = sound[chosen];
  if (of_bytes) change_bytes(changed, choices);
  for (const char* beside : {"-journal", "-wal", "-shm"}) folder.remove("experiment.sqlite" + std::string(beside));
  folder.set("experiment.sqlite", changed);
  const std::int64_t held = held_by_sqlite;
  try {
    if (!of_bytes) change_values(path, choices);
    Store store(path, Database::Mode::existing, owner);
    if (worked_on) {
      work_on(store);
    } else {
      const std::set<std::string> found = results(store);
      if (chosen == 0) require_known(found, expected, path);
    }
  } catch (...) {
    require_released(held);
    throw;
  }
  require_released(held);
}
