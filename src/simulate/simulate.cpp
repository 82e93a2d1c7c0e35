#include "priorfit/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "criteria/evidence_criterion.hpp"
#include "linalg/dense.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "priorfit/kernel.hpp"
#include "priorfit/predict.hpp"
#include "priorfit/recommend.hpp"
#include "search/grid.hpp"
#include "support/random.hpp"
#include "support/statistics.hpp"
#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace internal {
namespace {

NetworkSpec study_network() { return NetworkSpec::uniform(1); }

GridSearch grid_of(const SimulationOptions& options) {
  return {.weight_variances = options.weight_variances, .bias_variances = options.bias_variances};
}

/// The lower Cholesky factor of K + σ_n² I at the design pair: paths are its product with standard normals.
Eigen::MatrixXd path_factor(const SimulationOptions& options, const Matrix& locations) {
  Eigen::MatrixXd factor = covariance(study_network(), options.design, locations) +
                           options.noise_variance * Matrix::Identity(options.points, options.points);
  const ThreadScope one(1);  // the same paths for any number of threads
  if (dense_cholesky(factor) != 0) {
    throw Error(ErrorKind::numerical, fmt::format("the design covariance cannot be factored at noise {:g}; a larger "
                                                  "noise_variance helps",
                                                  options.noise_variance));
  }
  factor.triangularView<Eigen::StrictlyUpper>().setZero();
  return factor;
}

struct Drawn {
  Matrix paths;  // points × paths
  std::vector<Index> train, test;
};

Drawn draw(const SimulationOptions& options, const Eigen::MatrixXd& factor, std::uint64_t seed) {
  Matrix normals(options.points, options.paths);
  RandomStream(seed, RandomUse::simulation)
      .fill_normal(std::span<double>(normals.data(), static_cast<std::size_t>(normals.size())));
  const std::vector<std::int64_t> order =
      draw_without_replacement(options.points, options.points, RandomStream(seed, RandomUse::test_rows));
  Drawn drawn{factor * normals,
              {order.begin(), order.begin() + options.train_points},
              {order.begin() + options.train_points, order.end()}};
  std::sort(drawn.train.begin(), drawn.train.end());
  std::sort(drawn.test.begin(), drawn.test.end());
  return drawn;
}

/// One seed's sample, and what the models make of it.
class Trial {
 public:
  Trial(const SimulationOptions& options, const Matrix& locations, const Drawn& drawn)
      : options_(options),
        train_x_(locations(drawn.train, Eigen::all)),
        test_x_(locations(drawn.test, Eigen::all)),
        train_y_(targets(drawn.paths(drawn.train, Eigen::all))),
        test_y_(targets(drawn.paths(drawn.test, Eigen::all))) {}

  /// The grid, judged by the evidence, and which of its cells is best.
  std::pair<std::vector<Candidate>, std::size_t> judge(const RunContext& context) const {
    EvidenceCriterion evidence(train_x_, train_y_, study_network(),
                               {.noise = NoiseChoice::at(options_.noise_variance)});
    std::vector<Candidate> grid = grid_cells(study_network(), grid_of(options_));
    for (Candidate& cell : grid) cell.set(evidence.name(), evidence.judge(cell.start, context));
    const std::size_t best = evidence.prefer(grid);
    return {std::move(grid), best};
  }

  SimulatedPrediction predict(const LayerPrior& prior) const {
    const Prediction prediction =
        Posterior(train_x_, train_y_, study_network(), prior, options_.noise_variance).predict(test_x_);
    const double squares = (prediction.mean - test_y_).squaredNorm();
    return {prior, std::sqrt(squares / static_cast<double>(test_y_.size())), test_x_.col(0), prediction.mean.col(0),
            test_y_.col(0)};
  }

 private:
  Matrix targets(const Matrix& paths) const {
    return options_.target == SimulationTarget::paths ? paths : Matrix(paths.rowwise().mean());
  }

  const SimulationOptions& options_;
  Matrix train_x_, test_x_;  // locations × 1
  Matrix train_y_, test_y_;  // locations × outputs
};

void summarize_outcomes(Simulation& study) {
  std::vector<double> at_argmax, at_design, at_worst;
  for (const SeedOutcome& outcome : study.outcomes) {
    study.recovered += outcome.argmax == study.options.design ? 1 : 0;
    auto known = std::find_if(study.argmax.begin(), study.argmax.end(),
                              [&](const auto& entry) { return entry.prior == outcome.argmax; });
    if (known == study.argmax.end()) known = study.argmax.insert(known, {outcome.argmax, 0});
    ++known->count;
    at_argmax.push_back(outcome.rmse_argmax);
    at_design.push_back(outcome.rmse_design);
    at_worst.push_back(outcome.rmse_worst_pair);
  }
  std::stable_sort(study.argmax.begin(), study.argmax.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  study.median_rmse_argmax = median(at_argmax);
  study.median_rmse_design = median(at_design);
  study.median_rmse_worst_pair = median(at_worst);
}

}  // namespace
}  // namespace internal

std::string_view to_string(SimulationTarget target) { return target == SimulationTarget::paths ? "paths" : "mean"; }

SimulationTarget parse_simulation_target(std::string_view name) {
  for (const SimulationTarget target : {SimulationTarget::paths, SimulationTarget::mean}) {
    if (to_string(target) == name) return target;
  }
  throw Error(ErrorKind::usage,
              fmt::format("target '{}' is unknown{} (paths, mean)", name, suggestion(name, {"paths", "mean"})));
}

void SimulationOptions::validate() const {
  const auto require = [](bool rule, const std::string& message) {
    if (!rule) throw Error(ErrorKind::usage, message);
  };
  require(seeds >= 1, fmt::format("seeds is {}: it must be at least 1", seeds));
  require(std::isfinite(noise_variance) && noise_variance > 0,
          fmt::format("noise_variance is {}: it must be finite and greater than 0", noise_variance));
  require(points >= 3, fmt::format("points is {}: it must be at least 3", points));
  require(train_points >= 1 && train_points < points,
          fmt::format("train_points is {}: it must be at least 1 and less than points, {}", train_points, points));
  require(paths >= 1, fmt::format("paths is {}: it must be at least 1", paths));
  design.validate();
  worst_pair.validate();
  require(!weight_variances.empty(), "weight_variances is empty");
  require(!bias_variances.empty(), "bias_variances is empty");
  RecommendOptions judging;
  judging.search = internal::grid_of(*this);
  judging.validate();
}

Simulation simulate(const SimulationOptions& options, const RunContext& given) {
  options.validate();
  given.validate();
  RunContext context = given;
  context.threads = threads_for_call(given.threads).threads;
  const ThreadScope threads(context.threads);
  const internal::Stopwatch watch;
  const Matrix locations = Vector::LinSpaced(options.points, 0.0, 1.0);
  const Eigen::MatrixXd factor = internal::path_factor(options, locations);
  internal::StepCounter counter(context, static_cast<std::size_t>(options.seeds), "seeds");
  const RunContext quiet{.threads = context.threads, .memory_bytes = context.memory_bytes};  // a seed takes moments

  Simulation study;
  study.options = options;
  for (Index i = 0; i < options.seeds; ++i) {
    const std::uint64_t seed = options.first_seed + static_cast<std::uint64_t>(i);
    const internal::Drawn drawn = internal::draw(options, factor, seed);
    const internal::Trial trial(options, locations, drawn);
    auto [grid, chosen] = trial.judge(quiet);
    SimulatedPrediction best = trial.predict(grid[chosen].pair());
    SimulatedPrediction worst = trial.predict(options.worst_pair);
    study.outcomes.push_back({seed, best.prior, best.rmse, trial.predict(options.design).rmse, worst.rmse});
    if (i == 0) {
      study.example = {seed,
                       locations.col(0),
                       drawn.train,
                       drawn.test,
                       drawn.paths.transpose(),
                       std::move(grid),
                       std::move(best),
                       std::move(worst)};
    }
    counter.step();
  }
  internal::summarize_outcomes(study);
  study.threads = context.threads;
  study.seconds = watch.seconds();
  return study;
}

}  // namespace priorfit
