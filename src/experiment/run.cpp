#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "experiment/cell_work.hpp"
#include "experiment/desk.hpp"
#include "experiment/heartbeat.hpp"
#include "experiment/judging_memory.hpp"
#include "experiment/plan.hpp"
#include "experiment/result.hpp"
#include "experiment/specification.hpp"
#include "linalg/fits.hpp"
#include "linalg/threads.hpp"
#include "mlp/training_checks.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/stopwatch.hpp"

namespace priorfit {
using namespace internal;
namespace internal {
namespace {

namespace fs = std::filesystem;

constexpr auto poll_interval = std::chrono::milliseconds(200);

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

/// One process's part of the work.
class Runner {
 public:
  Runner(const ExperimentSpecification& specification, const ExperimentOptions& options, const RunContext& context)
      : specification_(specification),
        options_(options),
        context_(context),
        kinds_(kinds_of(options)),
        work_(specification, options),
        memory_(specification, work_.samples().of(work_.samples().largest()), kinds_),
        owner_(this_process()) {
    const NetworkShape& shape = work_.shape();
    for (const Initialisation& start : all_starts(specification, shape)) {  // now rather than hours later, at its cell
      check_deviations(specification.network, shape.features, shape.outputs, start.layers);
    }
    const PreparedData& largest = work_.samples().of(work_.samples().largest());
    classification_ = largest.task == Task::classification;
    const TrainOptions training = specification.training.resolved(classification_);  // likewise
    check_training_memory(specification.network, shape.features, shape.outputs, training, 1);
    const double free = options.elsewhere ? options.elsewhere->least(free_for_matrices()) : free_for_matrices();
    const fs::path database = database_path(options.folder);
    if (leads() && !fs::exists(database)) memory_.require(cells_of_each_size(), free);  // before anything is made
    if (!leads()) return;
    make_experiment_folder(options.folder);
    const Entries facts = experiment_facts(largest);
    store_.emplace(database, Database::Mode::create, owner_);
    store_->set_patience(options.patience);
    Entries entries = specification_entries(specification);
    entries.emplace_back("contents of the data (checksum)", work_.samples().checksum());
    store_->create_or_check(entries, specification_entries(unnamed_values()), facts,
                            planned_cells(specification, shape));
    for (const std::string& name : options.also) store_->add_criterion(name);
    // Who judges already has filled part of the memory; claim() sees to the rest.
    if (!store_->judged_here()) memory_.require(cells(), free);
  }

  bool leads() const { return !options_.elsewhere || options_.elsewhere->leads(); }

  /// Until every cell is done, here or elsewhere.
  void run() {
    if (!leads()) return work_for_desk(work_, memory_, *options_.elsewhere, context_);
    std::jthread desk;  // where others get their cells; ends with them, or with this run
    if (options_.elsewhere) desk = std::jthread([this](const std::stop_token& stop) { serve(stop); });
    for (;;) {
      refresh();
      if (remaining_ == 0) break;
      if (const std::optional<Cell> cell = store_->claim(kinds_, memory_.room())) {
        work(*cell);
      } else {
        work_.free_memory();
        if (!report(0.0, fmt::format("waiting for {}", store_->holders()))) stop();
        std::this_thread::sleep_for(poll_interval);
      }
    }
    if (desk.joinable()) desk.join();
    work_.remove_checkpoints(store_->cells());
  }

 private:
  void serve(const std::stop_token& stop) {
    Desk desk(database_path(options_.folder), kinds_, memory_, options_.patience, work_.samples().checksum(),
              classification_);
    options_.elsewhere->serve([&](int who, const std::string& question) { return desk.answer(who, question); }, stop);
  }

  /// Those that this process does, in the database.
  std::vector<Cell> cells() {
    std::vector<Cell> ours = store_->cells();
    std::erase_if(ours, [&](const Cell& cell) { return !kinds_.contains(cell.kind); });
    return ours;
  }

  std::vector<Cell> cells_of_each_size() const {
    std::vector<Cell> one_of_each;
    for (const Index size : specification_.sizes) {
      for (const std::string& kind : kinds_) one_of_each.push_back({.kind = kind, .size = size});
    }
    return one_of_each;
  }

  double cost(const Cell& cell) { return cell_cost(cell, specification_, work_.shape(), work_.samples().test_rows()); }

  /// What is left, counting what other processes have done meanwhile.
  void refresh() {
    total_ = remaining_ = 0;
    total_cost_ = remaining_cost_ = 0.0;
    for (const Cell& cell : cells()) {
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

  /// As the caller's, the progress of one cell told as part of the whole.
  RunContext context_for(const Cell& cell, const std::string& name) {
    RunContext within = context_;
    within.progress = [this, name, whole = cost(cell)](const Progress& p) {
      return report(p.fraction.value_or(0.0) * whole, name + ": " + p.stage);
    };
    return within;
  }

  void work(const Cell& cell) {
    const Heartbeat heartbeat(database_path(options_.folder), owner_, cell);
    try {
      const Initialisation start = parse_start_key(cell.start, work_.shape());
      const std::string name = cell_name(cell, start);
      if (!report(0.0, name)) stop();
      const Stopwatch watch;
      const CellResult result = work_.work(cell, start, context_for(cell, name));
      if (memory_.fills_the_machine(cell)) work_.free_memory();  // before others may take it
      if (const Score* score = std::get_if<Score>(&result)) {
        store_->note_threads(context_.threads);
        store_->finish(cell, *score, watch.seconds());
      } else if (store_->finish(cell, std::get<TrainingSummary>(result), classification_)) {
        work_.remove_checkpoint(cell);  // else it is its successor's
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

  const ExperimentSpecification& specification_;
  const ExperimentOptions& options_;
  const RunContext& context_;
  Kinds kinds_;
  CellWork work_;
  JudgingMemory memory_;
  bool classification_ = false;
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
                          const RunContext& given) {
  specification.validate();
  given.validate();
  if (options.patience.count() < 0) {
    throw Error(ErrorKind::usage, fmt::format("patience is {} ms: it must not be negative", options.patience.count()));
  }
  if (options.folder.empty()) throw Error(ErrorKind::usage, "folder is empty: an experiment needs a place to live");
  RunContext context = given;
  context.threads = threads_for_call(given.threads).threads;
  const ThreadScope threads(context.threads);
  try {
    internal::Runner runner(specification, options, context);
    runner.run();
    if (!runner.leads()) return {};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted && (!options.elsewhere || options.elsewhere->leads()))
      internal::write_results(options.folder);
    throw;
  }
  return internal::write_results(options.folder);
}

}  // namespace priorfit
