// What is done in a cell: a criterion's judgement, or a training.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "experiment/samples.hpp"
#include "experiment/store.hpp"

namespace priorfit::internal {

using CellResult = std::variant<Score, TrainingSummary>;

class CellWork {
 public:
  /// Reads the data. `specification` and `options` must outlive it.
  CellWork(const ExperimentSpecification& specification, const ExperimentOptions& options);
  ~CellWork();

  ExperimentSamples& samples() { return samples_; }
  const NetworkShape& shape() const { return shape_; }
  bool classification() { return samples_.of(samples_.largest()).task == Task::classification; }

  /// A training keeps its checkpoint in the folder until remove_checkpoint().
  CellResult work(const Cell& cell, const Initialisation& start, const RunContext& context);
  void remove_checkpoint(const Cell& cell) const;
  /// Of those that are done, and nothing else: what others keep in the folder is theirs.
  void remove_checkpoints(const std::vector<Cell>& cells) const;
  /// Matrices of a criterion may be most of the memory.
  void free_memory();

 private:
  class Judge;

  const ExperimentSpecification& specification_;
  const ExperimentOptions& options_;
  ExperimentSamples samples_;
  NetworkShape shape_;
  std::unique_ptr<Judge> judge_;
};

/// "train N = 1000 (2, 0) seed 1", "evidence N = 1000 He".
std::string cell_name(const Cell& cell, const Initialisation& start);

/// Throws Error(io). Makes checkpoints/ in it as well.
void make_experiment_folder(const std::filesystem::path& folder);

}  // namespace priorfit::internal
