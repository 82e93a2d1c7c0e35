// Evidence and training side by side: for each training size, the evidence of every pair of a grid, a network trained
// from every pair, and how well the rules "recommended" and "He" choose among them.
//
//     ExperimentSpecification specification = experiment_preset("paper-curves");
//     Experiment result = run_experiment(specification, {.folder = "curves"});    // hours; continues where it stopped
//     std::puts(to_table(result).c_str());
//     Experiment later = read_experiment("curves");                               // what is stored, without running
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/context.hpp"
#include "priorfit/criterion.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/initialisation.hpp"
#include "priorfit/network.hpp"
#include "priorfit/trained_risk.hpp"
#include "priorfit/training.hpp"

namespace priorfit {

namespace internal {
class ExperimentElsewhere;
}

/// All that shapes the result. One training sample per size, drawn with `seed` (samples are nested); the networks of a
/// cell draw initial parameters and batches with seed, seed + 1, … seed + seeds - 1.
struct ExperimentSpecification {
  LoadOptions data;
  std::string test;                      // file of test rows, for a source without a test split
  std::optional<Preprocess> preprocess;  // empty: as prepare() chooses
  double test_fraction = 0.2;            // held out when there are no test rows otherwise; in (0, 1)
  NetworkSpec network = {};
  std::vector<double> weight_variances = {0.4, 1.2, 2.0, 2.8, 3.6};
  std::vector<double> bias_variances = {0.0, 1.0, 2.0};
  // Ascending, > 0. Empty: the output layer has the variance of the others; else the grid has this third direction.
  std::vector<double> output_weight_variances = {};
  std::vector<InitialScheme> schemes = {};      // measured besides the grid; He always is
  std::optional<double> noise_variance = 1e-6;  // of the evidence; empty: each start's best
  std::vector<Index> sizes;                     // not empty, ascending, each >= 2
  Index seeds = 1;                              // >= 1
  std::uint64_t seed = 1;
  TrainOptions training = {
      .learning_rate = {.base = 1e-3}};  // of every network; seed and checkpoint mean nothing in it
  TrainedRiskOptions prediction = {};    // where what training does is predicted

  void validate() const;
};

/// "paper-curves": MNIST at 1000, 3000 and 5000; "paper-table": at 10000 to 50000. Throws Error(usage) otherwise.
ExperimentSpecification experiment_preset(std::string_view name);

/// Sections [data], [network], [grid], [training] and [prediction], as to_toml() writes them; what the text does not
/// mention keeps the value of `base`. Throws Error(data) naming line and key.
ExperimentSpecification parse_specification(const std::string& toml, const std::string& name,
                                            const ExperimentSpecification& base = {});
/// The same from a file, gzipped or not, of at most 256 kB. Throws Error(io) when it cannot be read.
ExperimentSpecification read_specification(const std::filesystem::path& path, const ExperimentSpecification& base = {});
std::string to_toml(const ExperimentSpecification& specification);

struct ExperimentOptions {
  std::filesystem::path folder;  // holds experiment.sqlite and checkpoints/; made when it is not there
  Index checkpoint_every = 10;   // epochs
  // Further criteria that judge every start, such as "trained-risk". They may be asked for when all else is done.
  std::vector<std::string> also = {};
  // How long another process may hold a cell without a sign of life; one that works gives one every 15 seconds.
  std::chrono::milliseconds patience = std::chrono::seconds(60);
  // The ranks of an MPI run (src/distributed): each makes the same call, the first alone has the database, and the
  // others return an empty result. Null: this process, and whoever else works on the folder.
  std::shared_ptr<internal::ExperimentElsewhere> elsewhere = {};
};

struct TrainedCell {
  Initialisation start;
  std::uint64_t seed = 0;
  double score = 0.0;               // test accuracy, or root mean squared error for regression; NaN when it diverged
  double final_loss = 0.0;          // training loss of the final weights
  std::vector<double> curve;        // test score after each epoch
  std::vector<double> train_curve;  // training accuracy of each epoch; training loss for regression
};

/// What one way of choosing leads to at one size; means are over seeds.
struct RuleRow {
  Index size = 0;
  std::string rule;  // "best", "worst", "He", "recommended" by the evidence, names of other criteria whose scores are
                     // known, "LeCun" if it is on the grid, names of schemes
  Initialisation start;
  double score = 0.0;
  std::optional<double> standard_error;  // with two seeds or more
  double regret = 0.0;                   // how much worse than "best", the best pair; below 0 for a better scheme
  Index rank = 0;                        // among the pairs, 1 for the best
};

struct SizeResult {
  Index size = 0;
  std::optional<Candidate> recommended;         // by the evidence, once that of all starts is known
  std::vector<Candidate> candidates;            // the grid, He and the schemes, as far as they have been judged
  std::vector<TrainedCell> cells;               // what is stored
  std::optional<double> rank_correlation;       // Spearman's, of evidence and mean score (so that 1 is agreement)
  std::optional<double> risk_rank_correlation;  // the same of the predicted loss
  // Mean |predicted − trained| accuracy, or root mean squared error (standardised).
  std::optional<double> prediction_error;
  bool complete = false;  // evidence and training
};

struct Experiment {
  DataSummary data;  // samples: those of the largest size
  Index test_rows = 0;
  ExperimentSpecification specification;
  std::vector<SizeResult> sizes;
  std::vector<RuleRow> rows;  // of the complete sizes
  std::vector<int> threads;   // that criteria were evaluated on, ascending: several where runs differed
  bool complete = false;
};

/// Does what the folder's database says is not done yet. Several processes may work on one folder; each cell is done by
/// one of them, and those of a process that died are taken over. Every finished cell is a transaction, and a training
/// that is cut off continues from its last checkpoint. Ends by writing experiment.json and specification.toml, also
/// when the context cancels, and then throws Error(interrupted). Throws Error(usage) when the folder holds another
/// specification or other data, naming the difference; Error(resource) when a network or the matrices of the largest
/// size do not fit into memory; Error(io) when the disk is full, with the database intact.
Experiment run_experiment(const ExperimentSpecification& specification, const ExperimentOptions& options,
                          const RunContext& context = {});

/// What a folder holds. Throws Error(io) when there is no experiment in it.
Experiment read_experiment(const std::filesystem::path& folder);

std::string to_table(const Experiment& experiment);
std::string to_markdown(const Experiment& experiment);
std::string to_csv(const Experiment& experiment);   // the rows
std::string to_json(const Experiment& experiment);  // schema priorfit.experiment/1

}  // namespace priorfit
