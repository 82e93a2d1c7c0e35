#include "experiment/cell_work.hpp"

#include <fmt/format.h>

#include <set>

#include "criteria/smooth.hpp"
#include "experiment/plan.hpp"
#include "experiment/specification.hpp"
#include "experiment/training.hpp"
#include "priorfit/error.hpp"
#include "recommend/parts.hpp"
#include "support/file_io.hpp"
#include "support/file_lock.hpp"

namespace priorfit::internal {
namespace {

namespace fs = std::filesystem;

fs::path checkpoints_in(const fs::path& folder) { return folder / "checkpoints"; }

std::string checkpoint_of(const Cell& cell) { return fmt::format("cell-{}.checkpoint", cell.id); }

/// With what killed processes have left of it: half-written, or, by earlier versions, a lock.
void remove_with_remains(const fs::path& checkpoint) {
  std::error_code ignored;
  fs::remove(checkpoint, ignored);
  remove_unfinished(checkpoint);
  FileLock::remove_left_behind(checkpoint.string() + ".lock");
}

}  // namespace

/// The criterion of one kind and size, kept for the cells that follow: it holds what does not depend on the start.
class CellWork::Judge {
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

CellWork::CellWork(const ExperimentSpecification& specification, const ExperimentOptions& options)
    : specification_(specification),
      options_(options),
      samples_(specification),
      shape_(samples_.shape(specification.network)),
      judge_(std::make_unique<Judge>(specification, samples_)) {}

CellWork::~CellWork() = default;

CellResult CellWork::work(const Cell& cell, const Initialisation& start, const RunContext& context) {
  if (cell.kind != training_kind) return judge_->judge(cell, start, context);
  free_memory();
  make_experiment_folder(options_.folder);  // a rank's own, where folders are not shared
  return train_from(start, cell.seed, samples_.of(cell.size), specification_,
                    checkpoints_in(options_.folder) / checkpoint_of(cell), options_.checkpoint_every, context);
}

void CellWork::free_memory() { judge_->free_memory(); }

void CellWork::remove_checkpoint(const Cell& cell) const {
  if (cell.kind == training_kind) remove_with_remains(checkpoints_in(options_.folder) / checkpoint_of(cell));
}

void CellWork::remove_checkpoints(const std::vector<Cell>& cells) const {
  std::set<std::string> ours, found;
  for (const Cell& cell : cells) {
    if (cell.kind == training_kind && cell.done) ours.insert(checkpoint_of(cell));
  }
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(checkpoints_in(options_.folder), ignored)) {
    const std::string name = entry.path().filename().string();
    const std::size_t dot = name.find('.', name.find('.') + 1);  // "cell-4.checkpoint", whatever follows
    if (const std::string begins = name.substr(0, dot); ours.contains(begins)) found.insert(begins);
  }
  for (const std::string& name : found) remove_with_remains(checkpoints_in(options_.folder) / name);
}

std::string cell_name(const Cell& cell, const Initialisation& start) {
  const std::string at = fmt::format("N = {} {}", cell.size, start_name(start));
  return cell.kind == training_kind ? fmt::format("train {} seed {}", at, cell.seed)
                                    : fmt::format("{} {}", cell.kind, at);
}

void make_experiment_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(checkpoints_in(folder), error);
  if (error) {
    throw Error(ErrorKind::io, fmt::format("the folder '{}' cannot be made: {}", folder.string(), error.message()));
  }
}

}  // namespace priorfit::internal
