// Damage to an experiment's database, and owners that neither work nor die.
#include "experiment/integrity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "experiment/start_key.hpp"
#include "experiment/store.hpp"
#include "helpers.hpp"

namespace priorfit::internal {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

const Kinds kinds = {evidence_kind, training_kind};
const Owner elsewhere{"boot space faraway", 12, 34};

Cell cell_of(const char* kind, Index size, double weight_variance, std::uint64_t seed = 0) {
  const Initialisation start = Initialisation::tied(NetworkSpec::uniform(1), {weight_variance, 0.0});
  return {.kind = kind, .size = size, .start = start_key(start), .seed = seed};
}

std::vector<Cell> plan() {
  return {cell_of(evidence_kind, 100, 1.0), cell_of(evidence_kind, 100, 2.0), cell_of(training_kind, 100, 1.0, 1),
          cell_of(evidence_kind, 200, 1.0)};
}

class Integrity : public ::testing::Test {
 protected:
  Store open(const Owner& owner = this_process()) {
    Store(path_, Database::Mode::create, owner).create_or_check({{"training.epochs", "5"}}, {}, {}, plan());
    return Store(path_, Database::Mode::create, owner);
  }

  /// All but the last cell done.
  void fill() {
    Store store = open();
    store.finish(*store.claim(kinds), Evidence{.log_marginal_likelihood = -12.5}, 1.0);
    store.finish(*store.claim(kinds), Evidence{.log_marginal_likelihood = -11.5}, 1.0);
    TrainingSummary summary;
    summary.test = Metrics{.samples = 10, .loss = 0.5, .accuracy = 0.9};
    for (Index epoch = 1; epoch <= 40; ++epoch) {
      summary.history.push_back({epoch, 1.0 / double(epoch), 0.5, Metrics{.accuracy = 0.02 * double(epoch)}, {}});
    }
    store.finish(*store.claim(kinds), summary, true);
  }

  void alter(const char* sql) {
    Database database(path_, Database::Mode::existing);
    database.execute("PRAGMA foreign_keys = OFF");
    database.execute(sql);
  }

  /// Everything that a result is made of.
  std::string results() {
    Store store = open();
    std::string all;
    for (const Cell& c : store.cells()) {
      all += fmt::format("{} {} {} {} {} {}\n", c.id, c.kind, c.size, c.start, c.seed, c.done);
    }
    for (const StoredScore& s : store.scores()) all += fmt::format("{} {} {}\n", s.size, s.start, s.score.value());
    for (const StoredTraining& t : store.training()) {
      all += fmt::format("{} {} {}", t.cell.id, t.score, t.final_loss);
      for (const double value : t.curve) all += fmt::format(" {}", value);
      for (const double value : t.train_curve) all += fmt::format(" {}", value);
    }
    return all;
  }

  test::Scratch scratch_;
  std::string path_ = scratch_.path("experiment.sqlite");
};

TEST_F(Integrity, WhatWasChangedIsNamed) {
  struct Case {
    const char* change;
    const char* message;
  };
  const Case cases[] = {
      {"UPDATE evidence SET log_marginal_likelihood = -1 WHERE cell = 1", "result of cell 1"},
      {"UPDATE evidence SET status = 'jittered' WHERE cell = 2", "result of cell 2"},
      {"UPDATE epochs SET test_accuracy = 0.99 WHERE epoch = 7", "result of cell 3"},
      {"DELETE FROM epochs WHERE epoch = 40", "result of cell 3"},
      {"DELETE FROM evidence WHERE cell = 2", "cell 2 is marked as done"},
      {"UPDATE cells SET state = 'done' WHERE id = 4", "cell 4 is marked as done"},
      {"DELETE FROM cells WHERE id = 4", "list are missing"},
      {"UPDATE cells SET prior = 'weight_variance=9 bias_variance=0' WHERE id = 4", "list are missing"},
      {"DROP TABLE scores", "'scores' is missing"},
      {"DROP TABLE cells", "'cells' is missing"},
      {"DROP TABLE checks", "'checks' is missing"},
      {"UPDATE meta SET value = '6' WHERE key = 'training.epochs'", "its settings were changed"},
      {"INSERT INTO evidence SELECT 4, status, 1, 1, 1, 0, 0 FROM evidence WHERE cell = 1", "cell 4 has a result"},
      {"UPDATE evidence SET log_marginal_likelihood = -1 WHERE cell = 1; UPDATE cells SET state = 'open' WHERE id = 1",
       "result of cell 1"},
      {"UPDATE evidence SET log_marginal_likelihood = -1; PRAGMA user_version = 2", "number of its format"},
      {"UPDATE evidence SET log_marginal_likelihood = -1; PRAGMA user_version = 0", "number of its format"},
      {"UPDATE evidence SET log_marginal_likelihood = -1; PRAGMA user_version = -1", "number of its format"},
      {"ALTER TABLE evidence RENAME COLUMN status TO stat", "no such column"},
      {"UPDATE meta SET value = '6' WHERE key = 'training.epochs'; DELETE FROM checks WHERE cell = -1",
       "its settings have no checksum"},
      {"CREATE TRIGGER mine AFTER UPDATE ON cells BEGIN DELETE FROM cells; END", "trigger 'mine'"},
      {"CREATE VIEW mine AS SELECT * FROM cells", "view 'mine'"},
      {"ALTER TABLE meta RENAME TO hidden; CREATE VIEW meta AS SELECT key, '6' AS value FROM hidden", "view 'meta'"},
  };
  fill();
  const std::string sound = test::read_all(path_);
  for (const Case& c : cases) {
    std::ofstream(path_, std::ios::binary) << sound;
    alter(c.change);
    test::expect_error(
        ErrorKind::data, [&] { results(); }, c.message);
  }
}

std::string swapped(const char* table, const char* a, const char* b) {
  return fmt::format(
      "ALTER TABLE {0} RENAME COLUMN {1} TO other; ALTER TABLE {0} RENAME COLUMN {2} TO {1}; "
      "ALTER TABLE {0} RENAME COLUMN other TO {2}",
      table, a, b);
}

// The values are where they were, and the names beside them are others.
TEST_F(Integrity, SwappedNamesOfColumnsAreNoticed) {
  fill();
  const std::string sound = test::read_all(path_);
  for (const std::string& change :
       {swapped("evidence", "log_marginal_likelihood", "per_value"), swapped("training", "accuracy", "test_loss"),
        swapped("epochs", "test_accuracy", "train_accuracy"), swapped("cells", "size", "seed"),
        swapped("meta", "key", "value"), swapped("checks", "cell", "checksum"),
        std::string("PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(replace(replace(sql, "
                    "'log_marginal_likelihood', 'other'), 'per_value', 'log_marginal_likelihood'), 'other', "
                    "'per_value') WHERE name = 'evidence'")}) {
    std::ofstream(path_, std::ios::binary) << sound;
    alter(change.c_str());
    test::expect_error(
        ErrorKind::data, [&] { results(); }, "is damaged");
  }
}

// Before there was a result: what is written then stands under its own name all the same.
TEST_F(Integrity, ResultsAreWrittenByTheNamesOfColumns) {
  open();
  alter(swapped("evidence", "log_marginal_likelihood", "per_value").c_str());
  Store store = open();
  store.finish(*store.claim(kinds), Evidence{.log_marginal_likelihood = -12.5, .per_value = -2.0}, 1.0);
  EXPECT_EQ(store.scores().front().score.value(), -12.5);
}

TEST_F(Integrity, AFolderThatIsGoneIsCalledSo) {
  Store store = open();
  std::filesystem::remove(path_);
  test::expect_error(
      ErrorKind::io, [&] { store.claim(kinds); }, "is gone");
  scratch_.file("experiment.sqlite", "");
  test::expect_error(
      ErrorKind::io, [&] { store.claim(kinds); }, "is gone");
}

// Any byte of the file: a result that differs is never given without an error.
TEST_F(Integrity, NoFlippedByteChangesAResult) {
  fill();
  const std::string sound = test::read_all(path_), expected = results();
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string damaged = sound;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
    std::ofstream(path_, std::ios::binary) << damaged;
    std::filesystem::remove(path_ + "-journal");
    try {
      EXPECT_EQ(results(), expected) << "flip " << i;
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), ErrorKind::internal) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);  // most bytes of a small store are free space or are not read
}

// Checksums and what they are of are read one after the other, and others write between.
TEST_F(Integrity, ADatabaseThatOthersWorkOnIsSound) {
  fill();
  Store store = open();
  const Owner writer{"boot space faraway", 56, 78};
  std::atomic<bool> done = false;
  std::jthread other([&] {
    Store working(path_, Database::Mode::existing, writer);
    for (int i = 1; i <= 60; ++i) {
      working.note_threads(i);
      working.add_criterion(fmt::format("criterion {}", i));
      const std::optional<Cell> cell = working.claim({fmt::format("criterion {}", i)});
      if (cell) working.finish(*cell, Score::of(i), 1.0);
    }
    done = true;
  });
  while (!done) {
    ASSERT_NO_THROW(store.require_sound());
    const Snapshot unchanged = store.snapshot();
    const std::vector<Cell> cells = store.cells();
    const auto finished = std::count_if(cells.begin(), cells.end(), [](const Cell& cell) { return cell.done; });
    ASSERT_EQ(static_cast<std::size_t>(finished), store.scores().size() + store.training().size());
  }
}

TEST_F(Integrity, AFinishedCellThatWasReopenedIsDoneAgain) {
  fill();
  alter("UPDATE cells SET state = 'open' WHERE id = 1");
  Store store = open();
  const auto cell = store.claim(kinds);
  ASSERT_EQ(cell->id, 1);
  store.finish(*cell, Evidence{.log_marginal_likelihood = -12.5}, 1.0);
  EXPECT_NO_THROW(results());
}

TEST_F(Integrity, DatabasesWithoutChecksumsGetThem) {
  fill();
  const std::string before = results();
  alter("DROP TABLE checks; PRAGMA user_version = 2");
  EXPECT_EQ(results(), before);
  alter("UPDATE evidence SET log_marginal_likelihood = -1 WHERE cell = 1");
  EXPECT_THROW(results(), Error);
}

TEST_F(Integrity, AClockThatIsAheadHoldsACellForAMinuteOnly) {
  ASSERT_EQ(open(elsewhere).claim(kinds)->id, 1);
  alter("UPDATE cells SET heartbeat = heartbeat + 100000 WHERE state = 'claimed'");
  Store store = open();
  store.set_patience(milliseconds(50));
  const auto other = store.claim(kinds);
  ASSERT_EQ(other->id, 3);
  store.release(*other);
  EXPECT_EQ(store.holders(), "process 12 on faraway (1 cell)");
  std::this_thread::sleep_for(milliseconds(80));
  EXPECT_EQ(store.claim(kinds)->id, 1);
}

TEST_F(Integrity, AHeartbeatThatBeatsKeepsItsCell) {
  Store far = open(elsewhere), store = open();
  const auto held = far.claim(kinds);
  alter("UPDATE cells SET heartbeat = heartbeat + 100000 WHERE state = 'claimed'");
  store.set_patience(milliseconds(50));
  for (int i = 0; i < 5; ++i) {
    alter("UPDATE cells SET heartbeat = heartbeat + 1 WHERE state = 'claimed'");
    const auto other = store.claim(kinds);
    EXPECT_NE(other->id, held->id);
    store.release(*other);
    std::this_thread::sleep_for(milliseconds(30));
  }
}

TEST_F(Integrity, AStoppedProcessHoldsACellForAMinuteOnly) {
  open();
  const pid_t child = fork();
  if (child == 0) {
    Store(path_, Database::Mode::existing, this_process()).claim(kinds);
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  Store store = open();
  store.set_patience(milliseconds(50));
  const auto other = store.claim(kinds);
  EXPECT_NE(other->id, 1);
  store.release(*other);
  EXPECT_EQ(store.holders(), fmt::format("process {} on this machine (1 cell)", child));
  std::this_thread::sleep_for(milliseconds(80));
  EXPECT_EQ(store.claim(kinds)->id, 1);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
}

}  // namespace
}  // namespace priorfit::internal
