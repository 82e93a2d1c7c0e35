// The experiment's database: which cells there are, who works on which, and what came out.
//
//     Store store(folder / "experiment.sqlite", this_process());
//     store.create_or_check(entries, cells);
//     while (std::optional<Cell> cell = store.claim()) { …; store.finish(*cell, evidence); }
//
// Tables (open to any SQL client): meta(key, value); cells(id, kind, size, prior, weight_variance, bias_variance, seed,
// state, …); evidence(cell, …); risks(cell, …); training(cell, …); epochs(cell, epoch, …). An initialisation is
// identified by the text in `prior`; the variances beside it are for whoever looks.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiment/database.hpp"
#include "experiment/owner.hpp"
#include "priorfit/initialisation.hpp"
#include "priorfit/mlp.hpp"
#include "priorfit/recommend.hpp"

namespace priorfit {

enum class CellKind { evidence, training };

struct Cell {
  std::int64_t id = 0;
  CellKind kind = CellKind::evidence;
  Index size = 0;
  Initialisation start;
  std::uint64_t seed = 0;  // of the network; 0 for evidence

  /// What the display calls it.
  std::string name() const;
};

/// Text of an initialisation, exact, and back.
std::string start_key(const Initialisation& start);
Initialisation parse_start_key(const std::string& key);

/// Name and value of all that must agree between the runs of one folder.
using Entries = std::vector<std::pair<std::string, std::string>>;

struct StoredTraining {
  Cell cell;
  double score = 0.0;  // NaN when it diverged
  double final_loss = 0.0;
  std::vector<double> curve, train_curve;
};

class Store {
 public:
  /// Opens or makes the database.
  Store(const std::filesystem::path& path, Database::Mode mode, Owner owner);

  /// Fills an empty database with `cells` in the order they are to be done. In one that is not empty each of `entries`
  /// must be what is stored; one that is not stored must have its value in `defaults` (a field newer than the
  /// database). `facts` are stored, anew each time, and never compared. Throws Error(usage) naming the difference.
  void create_or_check(const Entries& entries, const Entries& defaults, const Entries& facts,
                       const std::vector<Cell>& cells);

  /// What is stored under the name of each of `keys`, where there is something.
  Entries entries(const Entries& keys);
  std::string fact(const std::string& key);

  /// The first cell that nobody works on, now this process's; those of dead owners count as free. Evidence of one size
  /// is done by one process at a time, for its matrix may need most of the memory.
  std::optional<Cell> claim();
  void release(const Cell& cell);
  void beat(const Cell& cell);

  /// One transaction. Nothing is stored when another process has taken the cell over meanwhile.
  void finish(const Cell& cell, const Evidence& evidence, double seconds);
  void finish(const Cell& cell, const TrainingSummary& summary, bool classification);

  /// Cells of evidence that what training does was not predicted for, and the prediction.
  std::vector<Cell> cells_without_risk();
  void add_risk(const Cell& cell, const TrainedRisk& risk);
  std::vector<std::pair<Cell, TrainedRisk>> risks();

  std::vector<Cell> unfinished();
  Index count();
  std::vector<std::pair<Cell, Evidence>> evidence();
  std::vector<StoredTraining> training();

 private:
  void create(const Entries& entries, const Entries& facts, const std::vector<Cell>& cells);
  std::optional<std::string> find(const std::string& key);
  void check(const Entries& entries, const Entries& defaults);
  bool mark_done(const Cell& cell, double seconds);
  void read_curves(std::vector<StoredTraining>& cells);

  Database database_;
  Owner owner_;
  std::filesystem::path path_;
};

}  // namespace priorfit
