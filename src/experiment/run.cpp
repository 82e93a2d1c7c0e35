#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "criteria/smooth.hpp"
#include "experiment/heartbeat.hpp"
#include "experiment/plan.hpp"
#include "experiment/result.hpp"
#include "experiment/samples.hpp"
#include "experiment/specification.hpp"
#include "experiment/training.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "recommend/parts.hpp"
#include "support/file_io.hpp"
#include "support/stopwatch.hpp"

namespace priorfit {
namespace internal {
namespace {

namespace fs = std::filesystem;

constexpr auto poll_interval = std::chrono::milliseconds(200);

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder / "checkpoints", error);
  if (error) {
    throw Error(ErrorKind::io, fmt::format("the folder '{}' cannot be made: {}", folder.string(), error.message()));
  }
}

/// What this process does: evidence, training, and the criteria that were asked for besides.
Kinds kinds_of(const ExperimentOptions& options) {
  Kinds kinds = {evidence_kind, training_kind};
  for (const std::string& name : options.also) {
    find_criterion(name);
    if (name == training_kind) throw Error(ErrorKind::usage, "also holds 'training': no criterion can have that name");
    kinds.insert(name);
  }
  return kinds;
}

/// The criterion of one kind and size, kept for the cells that follow: it holds what does not depend on the start.
class Judge {
 public:
  Judge(const ExperimentSpecification& specification, ExperimentSamples& samples)
      : network_(specification.network),
        options_(criterion_options(judging_options(specification))),
        samples_(samples) {}

  Score judge(const Cell& cell, const Initialisation& start, const RunContext& context) {
    if (!criterion_ || kind_ != cell.kind || size_ != cell.size) make(cell);
    // What a criterion remembers of earlier starts would shift the last digits of the noise it fits, and a run that was
    // cut off would end with other figures.
    if (SmoothCriterion* smooth = criterion_->smooth()) smooth->keep(nullptr);
    return criterion_->judge(start, context);
  }

  /// Its matrices may be most of the memory.
  void free_memory() { criterion_.reset(); }

 private:
  void make(const Cell& cell) {
    criterion_.reset();
    const PreparedData& data = samples_.of(cell.size);
    kind_ = cell.kind;
    size_ = cell.size;
    criterion_ =
        find_criterion(cell.kind).make({.inputs = data.train.inputs,
                                        .targets = data.train.targets,
                                        .labels = data.task == Task::classification ? &data.train.labels : nullptr,
                                        .network = network_,
                                        .options = options_});
  }

  NetworkSpec network_;
  CriterionOptions options_;
  ExperimentSamples& samples_;
  std::string kind_;
  Index size_ = 0;
  std::unique_ptr<Criterion> criterion_;  // views the sample of size_
};

/// One process's part of the work.
class Runner {
 public:
  Runner(const ExperimentSpecification& specification, const ExperimentOptions& options, const RunContext& context)
      : specification_(specification),
        options_(options),
        context_(context),
        kinds_(kinds_of(options)),
        samples_(specification),
        shape_(samples_.shape(specification.network)),
        judge_(specification, samples_),
        owner_(this_process()) {
    for (const Initialisation& start : all_starts(specification, shape_)) {  // now rather than hours later, at its cell
      check_deviations(specification.network, shape_.features, shape_.outputs, start.layers);
    }
    const PreparedData& largest = samples_.of(samples_.largest());
    specification.training.resolved(largest.task == Task::classification);  // likewise
    const Entries facts = experiment_facts(largest);
    make_folder(options.folder);
    store_.emplace(database_path(options.folder), Database::Mode::create, owner_);
    Entries entries = specification_entries(specification);
    entries.emplace_back("contents of the data (checksum)", samples_.checksum());
    store_->create_or_check(entries, specification_entries(unnamed_values()), facts,
                            planned_cells(specification, shape_));
    for (const std::string& name : options.also) store_->add_criterion(name);
  }

  /// Until every cell is done, here or elsewhere.
  void run() {
    for (;;) {
      refresh();
      if (remaining_ == 0) break;
      if (const std::optional<Cell> cell = store_->claim(kinds_)) {
        work(*cell);
      } else {
        judge_.free_memory();
        if (!report(0.0, "waiting for the cells of another process")) stop();
        std::this_thread::sleep_for(poll_interval);
      }
    }
    remove_checkpoints("");
  }

 private:
  double cost(const Cell& cell) const { return cell_cost(cell, specification_, shape_, samples_.test_rows()); }

  /// What is left, counting what other processes have done meanwhile.
  void refresh() {
    total_ = remaining_ = 0;
    total_cost_ = remaining_cost_ = 0.0;
    for (const Cell& cell : store_->cells()) {
      if (!kinds_.contains(cell.kind)) continue;
      ++total_;
      total_cost_ += cost(cell);
      if (cell.done) continue;
      ++remaining_;
      remaining_cost_ += cost(cell);
    }
  }

  bool report(double cost_done, const std::string& current) const {
    if (!context_.progress) return true;
    const double fraction = 1.0 - (remaining_cost_ - cost_done) / total_cost_;
    return context_.progress(
        {fmt::format("{} of {} cells; {}", total_ - remaining_, total_, current), std::clamp(fraction, 0.0, 1.0)});
  }

  [[noreturn]] void stop() const {
    throw Error(ErrorKind::interrupted, fmt::format("interrupted with {} of {} cells done; run it again to continue",
                                                    total_ - remaining_, total_));
  }

  std::string name_of(const Cell& cell, const Initialisation& start) const {
    const std::string at = fmt::format("N = {} {}", cell.size, start_name(start));
    return cell.kind == training_kind ? fmt::format("train {} seed {}", at, cell.seed)
                                      : fmt::format("{} {}", cell.kind, at);
  }

  /// As the caller's, the progress of one cell told as part of the whole.
  RunContext context_for(const Cell& cell, const std::string& name) const {
    RunContext within = context_;
    within.progress = [this, name, whole = cost(cell)](const Progress& p) {
      return report(p.fraction.value_or(0.0) * whole, name + ": " + p.stage);
    };
    return within;
  }

  void work(const Cell& cell) {
    const Heartbeat heartbeat(database_path(options_.folder), owner_, cell);
    try {
      const Initialisation start = parse_start_key(cell.start, shape_);
      const std::string name = name_of(cell, start);
      if (!report(0.0, name)) stop();
      if (cell.kind == training_kind) {
        train_network(cell, start, context_for(cell, name));
      } else {
        const Stopwatch watch;
        const Score score = judge_.judge(cell, start, context_for(cell, name));
        store_->finish(cell, score, watch.seconds());
      }
    } catch (const Error& error) {
      release(cell);
      if (error.kind() == ErrorKind::interrupted) stop();
      throw;
    } catch (...) {
      release(cell);
      throw;
    }
  }

  void release(const Cell& cell) {
    try {
      store_->release(cell);
    } catch (const Error&) {  // on a full disk, say; the next process sees that this one is gone
    }
  }

  void train_network(const Cell& cell, const Initialisation& start, const RunContext& context) {
    judge_.free_memory();
    const PreparedData& data = samples_.of(cell.size);
    const std::string checkpoint = fmt::format("cell-{}.checkpoint", cell.id);
    const TrainingSummary summary =
        train_from(start, cell.seed, data, specification_, options_.folder / "checkpoints" / checkpoint,
                   options_.checkpoint_every, context);
    store_->finish(cell, summary, data.task == Task::classification);
    remove_checkpoints(checkpoint);
  }

  /// Whose names begin so, with the half-written ones that a kill may have left.
  void remove_checkpoints(const std::string& name) const {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(options_.folder / "checkpoints", ignored)) {
      if (entry.path().filename().string().starts_with(name)) fs::remove(entry.path(), ignored);
    }
  }

  const ExperimentSpecification& specification_;
  const ExperimentOptions& options_;
  const RunContext& context_;
  Kinds kinds_;
  ExperimentSamples samples_;
  NetworkShape shape_;
  Judge judge_;
  Owner owner_;
  std::optional<Store> store_;
  Index total_ = 0, remaining_ = 0;
  double total_cost_ = 0.0, remaining_cost_ = 0.0;
};

Experiment write_results(const fs::path& folder) {
  Experiment result = read_experiment(folder);
  write_file(folder / "specification.toml", to_toml(result.specification));
  write_file(folder / "experiment.json", to_json(result));
  return result;
}

}  // namespace
}  // namespace internal

Experiment run_experiment(const ExperimentSpecification& specification, const ExperimentOptions& options,
                          const RunContext& context) {
  specification.validate();
  context.validate();
  if (options.folder.empty()) throw Error(ErrorKind::usage, "folder is empty: an experiment needs a place to live");
  const ThreadScope threads(context.threads);
  try {
    internal::Runner(specification, options, context).run();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) internal::write_results(options.folder);
    throw;
  }
  return internal::write_results(options.folder);
}

}  // namespace priorfit
