#include "experiment/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "data/summary.hpp"
#include "experiment/plan.hpp"
#include "experiment/specification.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
namespace {

constexpr const char* facts_key = "data";

struct PairScore {
  Prior prior;
  double mean = 0.0;  // NaN when a seed diverged
  std::optional<double> standard_error;
};

PairScore pair_score(const Prior& prior, const std::vector<TrainedCell>& cells) {
  std::vector<double> scores;
  for (const TrainedCell& cell : cells) {
    if (same_prior(cell.prior, prior)) scores.push_back(cell.score);
  }
  const auto count = static_cast<double>(scores.size());
  PairScore result{prior, std::accumulate(scores.begin(), scores.end(), 0.0) / count, {}};
  if (scores.size() < 2) return result;
  double squares = 0.0;
  for (const double score : scores) squares += (score - result.mean) * (score - result.mean);
  result.standard_error = std::sqrt(squares / (count - 1) / count);
  return result;
}

/// Larger is better; what diverged is worse than all.
double goodness(double score, Task task) {
  if (!std::isfinite(score)) return -std::numeric_limits<double>::infinity();
  return task == Task::classification ? score : -score;
}

/// Ranks from 1 for the smallest; equal values share the mean of theirs.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) {
    const auto below = std::count_if(values.begin(), values.end(), [&](double v) { return v < value; });
    const auto equal = std::count(values.begin(), values.end(), value);
    result.push_back(static_cast<double>(below) + 0.5 * static_cast<double>(equal + 1));
  }
  return result;
}

std::optional<double> correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2) return std::nullopt;
  const Vector x = Eigen::Map<const Vector>(a.data(), static_cast<Index>(a.size()));
  const Vector y = Eigen::Map<const Vector>(b.data(), static_cast<Index>(b.size()));
  const Vector dx = x.array() - x.mean(), dy = y.array() - y.mean();
  const double scale = dx.norm() * dy.norm();
  if (scale == 0) return std::nullopt;
  return dx.dot(dy) / scale;
}

std::optional<double> rank_correlation(const std::vector<EvidenceCell>& evidence, const std::vector<PairScore>& scores,
                                       Task task) {
  std::vector<double> first, second;
  for (const EvidenceCell& cell : evidence) {
    if (!cell.evidence.ok()) continue;
    for (const PairScore& score : scores) {
      if (!same_prior(score.prior, cell.prior)) continue;
      first.push_back(cell.evidence.log_marginal_likelihood);
      second.push_back(goodness(score.mean, task));
    }
  }
  return correlation(ranks(first), ranks(second));
}

std::optional<EvidenceCell> recommended_cell(const std::vector<EvidenceCell>& evidence,
                                             const std::vector<Prior>& grid) {
  std::optional<EvidenceCell> best;
  for (const EvidenceCell& cell : evidence) {
    const bool on_grid = std::any_of(grid.begin(), grid.end(), [&](const Prior& p) { return same_prior(p, cell.prior); });
    if (!on_grid || !cell.evidence.ok()) continue;
    if (!best || cell.evidence.log_marginal_likelihood > best->evidence.log_marginal_likelihood) best = cell;
  }
  return best;
}

class RuleTable {
 public:
  RuleTable(Index size, Task task, std::vector<PairScore> scores) : size_(size), task_(task), sorted_(std::move(scores)) {
    std::stable_sort(sorted_.begin(), sorted_.end(),
                     [&](const PairScore& a, const PairScore& b) { return good(a) > good(b); });
  }

  const Prior& best() const { return sorted_.front().prior; }
  const Prior& worst() const { return sorted_.back().prior; }

  RuleRow row(const std::string& rule, const Prior& prior) const {
    const auto found = std::find_if(sorted_.begin(), sorted_.end(),
                                    [&](const PairScore& score) { return same_prior(score.prior, prior); });
    const auto better = std::count_if(sorted_.begin(), sorted_.end(),
                                      [&](const PairScore& score) { return good(score) > good(*found); });
    return {size_, rule, prior, found->mean, found->standard_error, std::abs(sorted_.front().mean - found->mean),
            static_cast<Index>(better) + 1};
  }

 private:
  double good(const PairScore& score) const { return goodness(score.mean, task_); }

  Index size_;
  Task task_;
  std::vector<PairScore> sorted_;  // best first
};

void add_rows(Experiment& experiment, const SizeResult& size, const std::vector<PairScore>& scores) {
  const RuleTable table(size.size, experiment.data.task, scores);
  experiment.rows.push_back(table.row("best", table.best()));
  experiment.rows.push_back(table.row("worst", table.worst()));
  experiment.rows.push_back(table.row("He", he_prior));
  if (size.recommended) experiment.rows.push_back(table.row("recommended", size.recommended->prior));
}

void add_size(Experiment& experiment, Index size, const std::vector<std::pair<Cell, Evidence>>& evidence,
              const std::vector<StoredTraining>& training) {
  const ExperimentSpecification& specification = experiment.specification;
  const std::vector<Prior> priors = all_priors(specification);
  SizeResult result;
  result.size = size;
  for (const auto& [cell, value] : evidence) {
    if (cell.size == size) result.evidence.push_back({cell.prior, value});
  }
  for (const StoredTraining& stored : training) {
    if (stored.cell.size != size) continue;
    result.cells.push_back({stored.cell.prior, stored.cell.seed, stored.score, stored.final_loss, stored.curve,
                            stored.train_curve});
  }
  const bool evidence_complete = result.evidence.size() == priors.size();
  const bool training_complete = result.cells.size() == priors.size() * static_cast<std::size_t>(specification.seeds);
  result.complete = evidence_complete && training_complete;
  if (evidence_complete) result.recommended = recommended_cell(result.evidence, grid_priors(specification));
  if (result.complete) {
    std::vector<PairScore> scores;
    for (const Prior& prior : priors) scores.push_back(pair_score(prior, result.cells));
    result.rank_correlation = rank_correlation(result.evidence, scores, experiment.data.task);
    add_rows(experiment, result, scores);
  }
  experiment.complete = experiment.complete && result.complete;
  experiment.sizes.push_back(std::move(result));
}

void read_facts(Experiment& experiment, const std::string& text) {
  const Json json = Json::parse(text);
  DataSummary& data = experiment.data;
  data.name = json.at("name").get<std::string>();
  data.rows = json.at("rows").get<Index>();
  data.features = json.at("features").get<Index>();
  data.outputs = json.at("outputs").get<Index>();
  data.samples = json.at("samples").get<Index>();
  data.task = parse_task(json.at("task").get<std::string>());
  data.preprocess = parse_preprocess(json.at("preprocess").get<std::string>());
  data.seed = json.at("seed").get<std::uint64_t>();
  data.notes = json.at("notes").get<std::vector<std::string>>();
  experiment.test_rows = json.at("test_rows").get<Index>();
}

}  // namespace

std::filesystem::path database_path(const std::filesystem::path& folder) { return folder / "experiment.sqlite"; }

Entries experiment_facts(const PreparedData& largest) {
  Json json = data_json(summarize(largest));
  json["test_rows"] = largest.test.size();
  return {{facts_key, json.dump(-1, ' ', false, Json::error_handler_t::replace)}};
}

Experiment read_experiment(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(database_path(folder))) {
    throw Error(ErrorKind::io, fmt::format("there is no experiment in '{}'", folder.string()));
  }
  Store store(database_path(folder), Database::Mode::existing, {});
  Experiment experiment;
  read_facts(experiment, store.fact(facts_key));
  const Entries entries = store.entries(specification_entries({}));
  experiment.specification = parse_specification(toml_text(entries), database_path(folder).string());
  experiment.complete = true;
  const auto evidence = store.evidence();
  const auto training = store.training();
  for (const Index size : experiment.specification.sizes) add_size(experiment, size, evidence, training);
  return experiment;
}

}  // namespace priorfit
