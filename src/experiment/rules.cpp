// How well ways of choosing did, against what was trained.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "criteria/risk_preference.hpp"
#include "experiment/plan.hpp"
#include "experiment/result.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Mean over the seeds of what was trained from one start.
struct StartScore {
  Initialisation start;
  double mean = 0.0;  // NaN when a seed diverged
  std::optional<double> standard_error;
};

StartScore start_score(const Initialisation& start, const std::vector<TrainedCell>& cells) {
  std::vector<double> scores;
  for (const TrainedCell& cell : cells) {
    if (same_start(cell.start, start)) scores.push_back(cell.score);
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

/// NaN where there is none.
double value_by(const char* criterion, const Candidate& candidate) {
  const Score* score = candidate.find(criterion);
  return score && score->ok() ? score->value() : unknown;
}

/// Calls visit(candidate, trained) for every start but the schemes, which have no place among the pairs.
template <typename Visit>
void for_each_pair(const std::vector<Candidate>& candidates, const std::vector<StartScore>& scores, Visit visit) {
  for (const Candidate& candidate : candidates) {
    if (own_scheme(candidate.start)) continue;
    for (const StartScore& score : scores) {
      if (same_start(score.start, candidate.start)) visit(candidate, score);
    }
  }
}

/// Of the mean scores and what the criterion says of each, times `sign`; what it could not judge does not count.
std::optional<double> rank_correlation(const char* criterion, double sign, const std::vector<Candidate>& candidates,
                                       const std::vector<StartScore>& scores, Task task) {
  std::vector<double> judged, trained;
  for_each_pair(candidates, scores, [&](const Candidate& candidate, const StartScore& score) {
    const double value = value_by(criterion, candidate);
    if (!std::isfinite(value)) return;
    judged.push_back(sign * value);
    trained.push_back(goodness(score.mean, task));
  });
  return correlation(ranks(judged), ranks(trained));
}

/// Mean difference of predicted and trained accuracy over the pairs; for regression of the root mean squared errors,
/// the trained ones divided by the targets' scale.
std::optional<double> prediction_error(const std::vector<Candidate>& candidates, const std::vector<StartScore>& scores,
                                       const Yardstick& yardstick) {
  const bool classification = yardstick.task == Task::classification;
  if (!classification && !yardstick.target_scale) return std::nullopt;
  double sum = 0.0;
  int count = 0;
  for_each_pair(candidates, scores, [&](const Candidate& candidate, const StartScore& score) {
    if (!std::isfinite(value_by(risk_kind, candidate)) || !std::isfinite(score.mean)) return;
    const TrainedRisk& risk = candidate.risk();
    sum += classification ? std::abs(risk.accuracy.value_or(0.0) - score.mean)
                          : std::abs(std::sqrt(risk.error) - score.mean / *yardstick.target_scale);
    ++count;
  });
  if (count == 0) return std::nullopt;
  return sum / count;
}

/// The default rule of preference, for scores that are known: it judges nothing.
class StoredCriterion final : public Criterion {
 public:
  explicit StoredCriterion(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  Score judge(const Initialisation&, const RunContext&) override {
    throw Error(ErrorKind::internal, "a stored criterion cannot judge");
  }

 private:
  std::string name_;
};

bool is_known(const std::string& criterion) {
  const auto& all = known_criteria();
  return std::any_of(all.begin(), all.end(), [&](const CriterionInfo& info) { return info.name == criterion; });
}

class RuleTable {
 public:
  RuleTable(Index size, Task task, const std::vector<StartScore>& scores) : size_(size), task_(task), scores_(scores) {
    for (const StartScore& score : scores) {
      if (!own_scheme(score.start)) sorted_.push_back(score);
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
    return {size_, rule, found->start, found->mean, found->standard_error, regret, static_cast<Index>(better) + 1};
  }

 private:
  double good(const StartScore& score) const { return goodness(score.mean, task_); }
  std::vector<StartScore>::const_iterator find(const Initialisation& start) const {
    return std::find_if(scores_.begin(), scores_.end(),
                        [&](const StartScore& score) { return same_start(score.start, start); });
  }

  Index size_;
  Task task_;
  std::vector<StartScore> scores_;
  std::vector<StartScore> sorted_;  // without the schemes, best first
};

/// Criteria that have judged besides the evidence, in the order of their first score.
std::vector<std::string> other_criteria(const std::vector<Candidate>& candidates) {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates) {
    for (const auto& [name, score] : candidate.scores) {
      if (name != evidence_kind && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

void add_rows(Experiment& experiment, const SizeResult& size, const std::vector<StartScore>& scores) {
  const NetworkSpec& network = experiment.specification.network;
  const RuleTable table(size.size, experiment.data.task, scores);
  const auto add = [&](const std::string& rule, const Initialisation& start) {
    experiment.rows.push_back(table.row(rule, start));
  };
  const Initialisation lecun = Initialisation::tied(network, {1.0, 0.0});
  add("best", table.best());
  add("worst", table.worst());
  add("He", Initialisation::tied(network, {2.0, 0.0}));
  if (size.recommended) add("recommended", size.recommended->start);
  const std::vector<Candidate> grid = candidates_on_grid(size, experiment.specification);
  for (const std::string& name : other_criteria(grid)) {
    if (const Candidate* choice = preferred_by(name, grid)) add(name, choice->start);
  }
  if (table.has(lecun)) add("LeCun", lecun);
  for (const StartScore& score : scores) {
    if (const auto scheme = own_scheme(score.start)) add(std::string(to_string(*scheme)), score.start);
  }
}

}  // namespace

const Candidate* preferred_by(const std::string& criterion, const std::vector<Candidate>& candidates) {
  const auto judged = [&](const Candidate& candidate) { return candidate.find(criterion) != nullptr; };
  const auto usable = [&](const Candidate& candidate) { return candidate.find(criterion)->ok(); };
  if (!is_known(criterion) || !std::all_of(candidates.begin(), candidates.end(), judged)) return nullptr;
  if (std::none_of(candidates.begin(), candidates.end(), usable)) return nullptr;
  const std::size_t chosen =
      criterion == risk_kind ? prefer_by_risk(candidates) : StoredCriterion(criterion).prefer(candidates);
  return &candidates[chosen];
}

std::vector<Candidate> candidates_on_grid(const SizeResult& size, const ExperimentSpecification& specification) {
  std::vector<Candidate> found;
  for (const Candidate& cell : grid_of(specification)) {
    for (const Candidate& candidate : size.candidates) {
      if (same_start(candidate.start, cell.start)) found.push_back(candidate);
    }
  }
  return found;
}

void measure_rules(Experiment& experiment, SizeResult& size, const Yardstick& yardstick) {
  std::vector<StartScore> scores;
  for (const Candidate& candidate : size.candidates) scores.push_back(start_score(candidate.start, size.cells));
  const Task task = yardstick.task;
  size.rank_correlation = rank_correlation(evidence_kind, 1.0, size.candidates, scores, task);
  size.risk_rank_correlation = rank_correlation(risk_kind, -1.0, size.candidates, scores, task);
  size.prediction_error = prediction_error(size.candidates, scores, yardstick);
  add_rows(experiment, size, scores);
}

}  // namespace priorfit::internal
