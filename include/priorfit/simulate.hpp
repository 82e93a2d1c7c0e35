// The paper's one-dimensional recovery study: sample paths of a known prior, and whether the evidence finds it.
//
//     Simulation study = simulate({.seeds = 40});
//     study.recovered;              // seeds whose best pair is the design pair
//     std::puts(to_table(study).c_str());
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/context.hpp"
#include "priorfit/criterion.hpp"
#include "priorfit/network.hpp"

namespace priorfit {

enum class SimulationTarget {
  paths,  // each path is an output of its own
  mean,   // one output, the mean of the paths, as the paper's text has it; its covariance is K / paths
};

std::string_view to_string(SimulationTarget target);
SimulationTarget parse_simulation_target(std::string_view name);  // throws Error(usage) with the nearest match

/// Paths f ~ N(0, K) at `points` evenly spaced locations of [0, 1], seen as f + N(0, noise_variance) both where the
/// model is trained and where it is tested.
struct SimulationOptions {
  Index seeds = 40;  // >= 1
  std::uint64_t first_seed = 1;
  SimulationTarget target = SimulationTarget::paths;
  double noise_variance = 1e-6;           // of the draw and of the model; finite, > 0
  LayerPrior design = {3.6, 0.02};        // the paths are drawn from
  LayerPrior worst_pair = {3.6, 0.0001};  // the paper's pair of least evidence, tested beside the best one
  std::vector<double> weight_variances = {0.4, 1.2, 2.0, 2.8, 3.6};
  std::vector<double> bias_variances = {0.0001, 0.01, 0.02};
  Index points = 100;       // >= 3
  Index train_points = 70;  // in [1, points)
  Index paths = 10;         // >= 1

  void validate() const;
};

/// Predicted against true at the test locations; for `paths` the first path is shown.
struct SimulatedPrediction {
  LayerPrior prior;
  double rmse = 0.0;  // over all outputs
  Vector locations, predicted, truth;
};

/// What the figures show: one seed in full.
struct SimulationExample {
  std::uint64_t seed = 0;
  Vector locations;                 // points
  std::vector<Index> train, test;   // ascending indices into locations
  Matrix paths;                     // paths × points, noise included
  std::vector<Candidate> grid;      // weight_variances × bias_variances, judged by the evidence
  SimulatedPrediction best, worst;  // at the argmax of the evidence and at options.worst_pair
};

struct SeedOutcome {
  std::uint64_t seed = 0;
  LayerPrior argmax;
  double rmse_argmax = 0.0, rmse_design = 0.0, rmse_worst_pair = 0.0;
};

struct Simulation {
  SimulationOptions options;
  std::vector<SeedOutcome> outcomes;  // one per seed
  Index recovered = 0;                // outcomes whose argmax is the design pair
  struct ArgmaxCount {
    LayerPrior prior;
    Index count = 0;
  };
  std::vector<ArgmaxCount> argmax;  // pairs chosen at least once, most frequent first
  double median_rmse_argmax = 0.0, median_rmse_design = 0.0, median_rmse_worst_pair = 0.0;
  SimulationExample example;  // of the first seed
  int threads = 0;
  double seconds = 0.0;
  std::string command;  // that made it; empty for a library call
};

/// Throws Error(interrupted) when the context cancels.
Simulation simulate(const SimulationOptions& options, const RunContext& context = {});

/// Why the two targets lead to different answers, in one paragraph.
std::string_view target_explanation();

std::string to_table(const Simulation& simulation);
std::string to_markdown(const Simulation& simulation);
std::string to_csv(const Simulation& simulation);   // one line per seed
std::string to_json(const Simulation& simulation);  // schema priorfit.simulation/1

}  // namespace priorfit
