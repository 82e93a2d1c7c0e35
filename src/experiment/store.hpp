// The experiment's database: which cells there are, who works on which, and what came out.
//
//     Store store(folder / "experiment.sqlite", Database::Mode::create, this_process());
//     store.create_or_check(entries, defaults, facts, cells);
//     while (std::optional<Cell> cell = store.claim({evidence_kind})) store.finish(*cell, judge(*cell), seconds);
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiment/database.hpp"
#include "experiment/owner.hpp"
#include "priorfit/criterion.hpp"
#include "priorfit/training.hpp"

namespace priorfit::internal {

inline constexpr const char* evidence_kind = "evidence";
inline constexpr const char* risk_kind = "trained-risk";
inline constexpr const char* training_kind = "training";

/// Names of criteria, and "training".
using Kinds = std::set<std::string>;

/// One piece of work: what is to be done with one start at one size.
struct Cell {
  std::int64_t id = 0;
  std::string kind = {};  // the name of a criterion that judges, or "training"
  Index size = 0;
  std::string start = {};  // start_key()
  std::uint64_t seed = 0;  // of the network; 0 for a criterion
  bool done = false;
};

/// Name and value of all that must agree between the runs of one folder.
using Entries = std::vector<std::pair<std::string, std::string>>;

/// How much judging a cell may take, and how much of it the machine still has.
struct Room {
  std::function<double(const Cell&)> bytes = [](const Cell&) { return 0.0; };
  double usable = std::numeric_limits<double>::infinity();
};

struct StoredScore {
  std::string criterion;
  Index size = 0;
  std::string start;
  Score score;
};

struct StoredTraining {
  Cell cell;
  double score = 0.0;  // NaN when it diverged
  double final_loss = 0.0;
  std::vector<double> curve, train_curve;
};

class Store {
 public:
  /// Opens or makes the database; it is not changed until create_or_check().
  Store(const std::filesystem::path& path, Database::Mode mode, Owner owner);

  /// Throws Error(data) for a database that a later version wrote.
  void require_known_format();

  /// The same, and Error(data) for one that is damaged (integrity.hpp).
  void require_sound();

  /// While it lives all calls see the database as it is now.
  Snapshot snapshot() { return Snapshot(database_); }

  /// Fills an empty database with `cells` in the order they are to be done. In one that is not empty each of `entries`
  /// must be what is stored; one that is not stored must have its value in `defaults` (a field newer than the
  /// database), and is stored now. `facts` are stored, anew each time, and never compared. A database of an earlier
  /// format is brought to the present one. Throws Error(usage) naming the difference.
  void create_or_check(const Entries& entries, const Entries& defaults, const Entries& facts,
                       const std::vector<Cell>& cells);

  /// Keeps on how many threads a criterion was evaluated, which its last digits depend on, beside what others kept.
  void note_threads(int threads);
  std::vector<int> threads();  // ascending; empty in a database from before they were kept

  /// Adds a cell for each start that the evidence judges, at each size, where there is none yet.
  void add_criterion(const std::string& name);

  /// What is stored under the name of each of `keys`, where there is something.
  Entries entries(const Entries& keys);
  std::string fact(const std::string& key);

  /// The first cell of these kinds that nobody works on, now this process's; those of dead owners count as free, and
  /// those of owners whose heartbeat has stopped. Criteria's matrices may need most of the memory: at one size one
  /// process at a time judges, and on one machine several do only where all of them fit.
  std::optional<Cell> claim(const Kinds& kinds, const Room& room = {});
  /// Whether others of this machine hold cells that take memory.
  bool judged_here();
  /// Who held cells at the last claim(): "process 12 on this machine (2 cells)".
  std::string holders() const;
  void set_patience(std::chrono::milliseconds patience) { watch_ = HeartbeatWatch(patience); }
  void release(const Cell& cell);
  void beat(const Cell& cell);

  /// One transaction. False, with nothing stored, when another process has taken the cell over meanwhile.
  bool finish(const Cell& cell, const Score& score, double seconds);
  bool finish(const Cell& cell, const TrainingSummary& summary, bool classification);

  /// In the order of work; so are the scores of each criterion and the trainings.
  std::vector<Cell> cells();
  std::vector<StoredScore> scores();
  std::vector<StoredTraining> training();

 private:
  struct Unfinished {
    Cell cell;
    std::optional<Owner> holder;  // another process, which lives
  };
  std::vector<Unfinished> unfinished();
  void upgrade(const Entries& entries, const Entries& defaults);
  void create(const Entries& entries, const std::vector<Cell>& cells);
  std::optional<std::string> find(const std::string& key);
  void put(const Entries& entries);
  void check(const Entries& entries, const Entries& defaults);
  bool mark_done(const Cell& cell, double seconds);
  void read_evidence(std::vector<StoredScore>& found);
  void read_risks(std::vector<StoredScore>& found);
  void read_other_scores(std::vector<StoredScore>& found);
  void read_curves(std::vector<StoredTraining>& cells);

  Database database_;
  Owner owner_;
  HeartbeatWatch watch_;
  std::map<Owner, int> holders_;
  std::filesystem::path path_;
};

}  // namespace priorfit::internal
