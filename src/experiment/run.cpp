#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "experiment/heartbeat.hpp"
#include "experiment/plan.hpp"
#include "experiment/result.hpp"
#include "experiment/specification.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "recommend/noise_fit.hpp"
#include "support/file_io.hpp"

namespace priorfit {
namespace {

namespace fs = std::filesystem;

constexpr auto poll_interval = std::chrono::milliseconds(200);

Dataset load(const ExperimentSpecification& specification) {
  Dataset dataset = load_dataset(specification.data);
  if (!specification.test.empty()) {
    LoadOptions test = specification.data;
    test.source = specification.test;
    test.task = dataset.task;
    use_as_test(dataset, load_dataset(test));
  }
  return dataset;
}

std::string checksum(const Dataset& dataset) {
  uLong sum = 0;
  for (const Samples* part : {&dataset.train, &dataset.test}) {
    for (const Matrix* matrix : {&part->inputs, &part->targets}) {
      if (matrix->size() == 0) continue;  // zlib takes a null pointer as "start anew"
      sum = crc32_z(sum, reinterpret_cast<const Bytef*>(matrix->data()),
                    static_cast<std::size_t>(matrix->size()) * sizeof(double));
    }
  }
  return fmt::format("{:08x}", sum);
}

PreparedData prepared(const Dataset& dataset, const ExperimentSpecification& specification, Index size) {
  return prepare(dataset, {.samples = size,
                           .seed = specification.seed,
                           .preprocess = specification.preprocess,
                           .test_fraction = specification.test_fraction});
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder / "checkpoints", error);
  if (error) {
    throw Error(ErrorKind::io, fmt::format("the folder '{}' cannot be made: {}", folder.string(), error.message()));
  }
}

/// One process's part of the work.
class Runner {
 public:
  Runner(const ExperimentSpecification& specification, const ExperimentOptions& options)
      : specification_(specification),
        options_(options),
        dataset_(load(specification)),
        largest_(prepared(dataset_, specification, specification.sizes.back())),
        owner_(this_process()) {
    const NetworkSpec& network = specification.network;
    for (const Initialisation& start : all_starts(specification)) {  // now rather than hours later, at its cell
      check_deviations(network, largest_.features(), largest_.outputs(),
                       start.layers(network, largest_.features(), largest_.outputs()));
    }
    make_folder(options.folder);
    store_.emplace(database_path(options.folder), Database::Mode::create, owner_);
    Entries entries = specification_entries(specification);
    entries.emplace_back("contents of the data (checksum)", checksum(dataset_));
    store_->create_or_check(entries, specification_entries({}), experiment_facts(largest_),
                            planned_cells(specification));
    for (const Cell& cell : planned_cells(specification)) total_cost_ += cost(cell);
    total_ = store_->count();
  }

  /// Until every cell is done, here or elsewhere.
  void run() {
    for (;;) {
      refresh();
      if (remaining_ == 0) break;
      if (const std::optional<Cell> cell = store_->claim()) {
        work(*cell);
      } else {
        engine_.reset();
        if (!report(0.0, "waiting for the cells of another process")) stop();
        std::this_thread::sleep_for(poll_interval);
      }
    }
    remove_checkpoints("");
    engine_.reset();
    if (options_.trained_risk) predict_training();
  }

 private:
  double cost(const Cell& cell) const {
    return cell_cost(cell, specification_, largest_.features(), largest_.outputs(), largest_.test.size());
  }

  /// What is left, counting what other processes have done meanwhile.
  void refresh() {
    const std::vector<Cell> open = store_->unfinished();
    remaining_ = static_cast<Index>(open.size());
    remaining_cost_ = 0.0;
    for (const Cell& cell : open) remaining_cost_ += cost(cell);
  }

  bool report(double cost_done, const std::string& current) const {
    if (!options_.progress) return true;
    const double fraction = 1.0 - (remaining_cost_ - cost_done) / total_cost_;
    return options_.progress({total_ - remaining_, total_, std::clamp(fraction, 0.0, 1.0), current});
  }

  [[noreturn]] void stop() const {
    throw Error(ErrorKind::interrupted, fmt::format("interrupted with {} of {} cells done; the same command continues",
                                                    total_ - remaining_, total_));
  }

  void work(const Cell& cell) {
    const Heartbeat heartbeat(database_path(options_.folder), owner_, cell);
    try {
      if (!report(0.0, cell.name())) stop();
      if (cell.kind == CellKind::evidence) {
        evaluate(cell);
      } else {
        engine_.reset();  // its matrices may be most of the memory
        train_network(cell);
      }
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

  const PreparedData& sample(Index size) {
    if (size == largest_.train.size()) return largest_;
    if (!sample_ || sample_->train.size() != size) {
      engine_.reset();
      sample_ = prepared(dataset_, specification_, size);
    }
    return *sample_;
  }

  void evaluate(const Cell& cell) {
    const PreparedData& data = sample(cell.size);
    const std::vector<LayerPrior> layers = cell.start.layers(specification_.network, data.features(), data.outputs());
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    if (!specification_.noise_variance) {
      const Evidence evidence = evidence_at_best_noise(data, specification_.network, layers);
      return store_->finish(cell, evidence, seconds());
    }
    if (!engine_ || engine_size_ != cell.size) {
      engine_.reset();
      engine_.emplace(data.train.inputs, data.train.targets, specification_.network);
      engine_size_ = cell.size;
    }
    const Evidence evidence = engine_->evaluate(layers, *specification_.noise_variance);
    store_->finish(cell, evidence, seconds());
  }

  /// Predictions need no training, so they are made where they lack, whenever they are asked for.
  void predict_training() {
    const std::vector<Cell> cells = store_->cells_without_risk();
    Index size = 0;
    std::optional<TrainedRiskEngine> engine;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Cell& cell = cells[i];
      if (!report(0.0, fmt::format("prediction {} of {}: {}", i + 1, cells.size(), cell.start.name()))) stop();
      const PreparedData& data = sample(cell.size);
      if (size != cell.size) engine.emplace(data, specification_.network);
      size = cell.size;
      store_->add_risk(cell,
                       engine->evaluate(cell.start.layers(specification_.network, data.features(), data.outputs())));
    }
  }

  void train_network(const Cell& cell) {
    const PreparedData& data = sample(cell.size);
    Mlp network = initialise(specification_.network, data.features(), data.outputs(), cell.start, cell.seed);
    TrainOptions options;
    options.epochs = specification_.epochs;
    options.batch = specification_.batch;
    options.adam.learning_rate = specification_.learning_rate;
    options.seed = cell.seed;
    options.evaluate_every = specification_.evaluate_every;
    options.threads = options_.threads;
    options.checkpoint = options_.folder / "checkpoints" / fmt::format("cell-{}.checkpoint", cell.id);
    options.checkpoint_every = options_.checkpoint_every;
    const double whole = cost(cell);
    const TrainingSummary summary = train(network, data, options, [&](const TrainingProgress& p) {
      return report(p.fraction * whole, fmt::format("{}: epoch {} of {}", cell.name(), p.epoch, p.epochs));
    });
    if (summary.cancelled) stop();
    store_->finish(cell, summary, data.task == Task::classification);
    remove_checkpoints(options.checkpoint.filename().string());
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
  Dataset dataset_;
  PreparedData largest_;
  Owner owner_;
  std::optional<Store> store_;
  std::optional<PreparedData> sample_;
  std::optional<EvidenceEngine> engine_;  // views the sample it was made for
  Index engine_size_ = 0;
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

Experiment run_experiment(const ExperimentSpecification& specification, const ExperimentOptions& options) {
  specification.validate();
  if (options.folder.empty()) throw Error(ErrorKind::usage, "folder is empty: an experiment needs a place to live");
  const ThreadScope threads(options.threads);
  try {
    Runner(specification, options).run();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) write_results(options.folder);
    throw;
  }
  return write_results(options.folder);
}

}  // namespace priorfit
