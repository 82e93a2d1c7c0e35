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

struct StartScore {
  Initialisation start;
  double mean = 0.0;  // NaN when a seed diverged
  std::optional<double> standard_error;
};

StartScore start_score(const Initialisation& start, const std::vector<TrainedCell>& cells) {
  std::vector<double> scores;
  for (const TrainedCell& cell : cells) {
    if (cell.start == start) scores.push_back(cell.score);
  }
  const auto count = static_cast<double>(scores.size());
  StartScore result{start, std::accumulate(scores.begin(), scores.end(), 0.0) / count, {}};
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

/// Of the priors' mean scores and what `value_of` says of each; cells that it says NaN of do not count.
template <class ValueOf>
std::optional<double> rank_correlation(const std::vector<JudgedCell>& cells, const std::vector<StartScore>& scores,
                                       Task task, ValueOf value_of) {
  std::vector<double> first, second;
  for (const JudgedCell& cell : cells) {
    const double value = value_of(cell);
    if (!std::isfinite(value) || !cell.start.prior()) continue;
    for (const StartScore& score : scores) {
      if (score.start != cell.start) continue;
      first.push_back(value);
      second.push_back(goodness(score.mean, task));
    }
  }
  return correlation(ranks(first), ranks(second));
}

double evidence_of(const JudgedCell& cell) {
  return cell.evidence.ok() ? cell.evidence.log_marginal_likelihood : std::numeric_limits<double>::quiet_NaN();
}

double negative_risk_of(const JudgedCell& cell) {
  return cell.risk && cell.risk->ok() ? -cell.risk->loss() : std::numeric_limits<double>::quiet_NaN();
}

/// Mean difference of predicted and trained accuracy over the priors; for regression of the root mean squared errors,
/// the trained ones divided by the targets' scale.
std::optional<double> prediction_error(const std::vector<JudgedCell>& cells, const std::vector<StartScore>& scores,
                                       Task task, const std::optional<double>& target_scale) {
  if (task == Task::regression && !target_scale) return std::nullopt;
  double sum = 0.0;
  int count = 0;
  for (const JudgedCell& cell : cells) {
    if (!cell.risk || !cell.risk->ok() || !cell.start.prior()) continue;
    for (const StartScore& score : scores) {
      if (score.start != cell.start || !std::isfinite(score.mean)) continue;
      sum += task == Task::classification ? std::abs(cell.risk->accuracy.value_or(0.0) - score.mean)
                                          : std::abs(std::sqrt(cell.risk->error) - score.mean / *target_scale);
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

/// What --criterion trained-risk would choose of the grid.
std::optional<LayerPrior> choice_by_risk(const std::vector<JudgedCell>& cells, const std::vector<LayerPrior>& grid) {
  std::vector<RiskCandidate> candidates;
  for (const JudgedCell& cell : cells) {
    const bool on_grid = std::any_of(grid.begin(), grid.end(), [&](const LayerPrior& p) { return cell.start == p; });
    if (on_grid && cell.risk && cell.risk->ok()) candidates.push_back({*cell.start.prior(), *cell.risk});
  }
  if (candidates.size() < grid.size()) return std::nullopt;
  return candidates[preferred_candidate(candidates)].prior;
}

std::optional<EvidenceCell> recommended_cell(const std::vector<JudgedCell>& evidence,
                                             const std::vector<LayerPrior>& grid) {
  std::optional<EvidenceCell> best;
  for (const JudgedCell& cell : evidence) {
    const bool on_grid = std::any_of(grid.begin(), grid.end(), [&](const LayerPrior& p) { return cell.start == p; });
    if (!on_grid || !cell.evidence.ok()) continue;
    if (!best || cell.evidence.log_marginal_likelihood > best->evidence.log_marginal_likelihood) {
      best = {*cell.start.prior(), cell.evidence};
    }
  }
  return best;
}

class RuleTable {
 public:
  RuleTable(Index size, Task task, const std::vector<StartScore>& scores) : size_(size), task_(task), scores_(scores) {
    for (const StartScore& score : scores) {
      if (score.start.prior()) sorted_.push_back(score);
    }
    std::stable_sort(sorted_.begin(), sorted_.end(),
                     [&](const StartScore& a, const StartScore& b) { return good(a) > good(b); });
  }

  const Initialisation& best() const { return sorted_.front().start; }
  const Initialisation& worst() const { return sorted_.back().start; }
  bool has(const Initialisation& start) const { return find(start) != scores_.end(); }

  RuleRow row(const std::string& rule, const Initialisation& start) const {
    const auto found = find(start);
    const auto better = std::count_if(sorted_.begin(), sorted_.end(),
                                      [&](const StartScore& score) { return good(score) > good(*found); });
    const double best = sorted_.front().mean;
    const double regret = task_ == Task::classification ? best - found->mean : found->mean - best;
    return {size_, rule, start, found->mean, found->standard_error, regret, static_cast<Index>(better) + 1};
  }

 private:
  double good(const StartScore& score) const { return goodness(score.mean, task_); }
  std::vector<StartScore>::const_iterator find(const Initialisation& start) const {
    return std::find_if(scores_.begin(), scores_.end(), [&](const StartScore& score) { return score.start == start; });
  }

  Index size_;
  Task task_;
  std::vector<StartScore> scores_;
  std::vector<StartScore> sorted_;  // of the priors, best first
};

void add_rows(Experiment& experiment, const SizeResult& size, const std::vector<StartScore>& scores) {
  const RuleTable table(size.size, experiment.data.task, scores);
  experiment.rows.push_back(table.row("best", table.best()));
  experiment.rows.push_back(table.row("worst", table.worst()));
  experiment.rows.push_back(table.row("He", he_prior));
  if (size.recommended) experiment.rows.push_back(table.row("recommended", size.recommended->prior));
  if (const auto choice = choice_by_risk(size.evidence, grid_priors(experiment.specification))) {
    experiment.rows.push_back(table.row("trained-risk", *choice));
  }
  if (table.has(InitialScheme::lecun)) experiment.rows.push_back(table.row("LeCun", InitialScheme::lecun));
  for (const StartScore& score : scores) {
    if (score.start.scheme()) experiment.rows.push_back(table.row(score.start.name(), score.start));
  }
}

void add_size(Experiment& experiment, Index size, const std::vector<std::pair<Cell, Evidence>>& evidence,
              const std::vector<std::pair<Cell, TrainedRisk>>& risks, const std::vector<StoredTraining>& training,
              const std::optional<double>& target_scale) {
  const ExperimentSpecification& specification = experiment.specification;
  const std::vector<Initialisation> starts = all_starts(specification);
  SizeResult result;
  result.size = size;
  for (const auto& [cell, value] : evidence) {
    if (cell.size == size) result.evidence.push_back({cell.start, value});
  }
  for (const auto& [cell, risk] : risks) {
    if (cell.size != size) continue;
    for (JudgedCell& judged : result.evidence) {
      if (judged.start == cell.start) judged.risk = risk;
    }
  }
  for (const StoredTraining& stored : training) {
    if (stored.cell.size != size) continue;
    result.cells.push_back(
        {stored.cell.start, stored.cell.seed, stored.score, stored.final_loss, stored.curve, stored.train_curve});
  }
  const bool evidence_complete = result.evidence.size() == starts.size();
  const bool training_complete = result.cells.size() == starts.size() * static_cast<std::size_t>(specification.seeds);
  result.complete = evidence_complete && training_complete;
  if (evidence_complete) result.recommended = recommended_cell(result.evidence, grid_priors(specification));
  if (result.complete) {
    std::vector<StartScore> scores;
    for (const Initialisation& start : starts) scores.push_back(start_score(start, result.cells));
    const Task task = experiment.data.task;
    result.rank_correlation = rank_correlation(result.evidence, scores, task, evidence_of);
    result.risk_rank_correlation = rank_correlation(result.evidence, scores, task, negative_risk_of);
    result.prediction_error = prediction_error(result.evidence, scores, task, target_scale);
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
  if (largest.target_scale.size() > 0) json["target_scale"] = largest.target_scale.mean();
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
  const auto risks = store.risks();
  const auto training = store.training();
  const Json facts = Json::parse(store.fact(facts_key));
  std::optional<double> target_scale;  // not in databases of before
  if (facts.contains("target_scale")) target_scale = facts.at("target_scale").get<double>();
  for (const Index size : experiment.specification.sizes) {
    add_size(experiment, size, evidence, risks, training, target_scale);
  }
  return experiment;
}

}  // namespace priorfit
