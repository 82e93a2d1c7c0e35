#include "experiment/result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/summary.hpp"
#include "experiment/plan.hpp"
#include "experiment/specification.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
namespace internal {
namespace {

constexpr const char* facts_key = "data";

struct Facts {
  DataSummary data;
  Index test_rows = 0;
  Yardstick yardstick;
};

Facts read_facts(const std::string& text, const std::string& database) {
  try {
    const Json json = Json::parse(text);
    Facts facts;
    facts.data = data_from(json, database);
    facts.test_rows = count_from(json.at("test_rows"));
    facts.yardstick.task = facts.data.task;
    if (json.contains("target_scale")) facts.yardstick.target_scale = json.at("target_scale").get<double>();
    return facts;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // of the JSON library, or ours about a name that is unknown
    throw Error(ErrorKind::data, fmt::format("experiment database '{}' is damaged: its entry '{}' cannot be read ({})",
                                             database, facts_key, error.what()));
  }
}

/// All that is stored, and the shape that turns its texts into initialisations.
struct Contents {
  std::vector<Cell> cells;
  std::vector<StoredScore> scores;
  std::vector<StoredTraining> training;
  NetworkShape shape;

  bool is_done(const char* kind, Index size) const {
    return std::all_of(cells.begin(), cells.end(),
                       [&](const Cell& cell) { return cell.kind != kind || cell.size != size || cell.done; });
  }
};

/// The candidate of this start, made where there is none. Two texts may name the same start: an output layer with the
/// variance of the others was written as one of its own once.
Candidate& candidate_of(std::vector<Candidate>& candidates, const Initialisation& start) {
  const auto same = [&](const Candidate& candidate) { return same_start(candidate.start, start); };
  const auto found = std::find_if(candidates.begin(), candidates.end(), same);
  if (found != candidates.end()) return *found;
  return candidates.emplace_back(Candidate{.start = start});
}

SizeResult read_size(const Contents& contents, Index size) {
  SizeResult result;
  result.size = size;
  for (const StoredScore& stored : contents.scores) {
    if (stored.size != size) continue;
    Candidate& candidate = candidate_of(result.candidates, parse_start_key(stored.start, contents.shape));
    if (!candidate.find(stored.criterion)) candidate.set(stored.criterion, stored.score);
  }
  for (const StoredTraining& stored : contents.training) {
    if (stored.cell.size != size) continue;
    const Initialisation start = parse_start_key(stored.cell.start, contents.shape);
    const auto same = [&](const TrainedCell& cell) {
      return cell.seed == stored.cell.seed && same_start(cell.start, start);
    };
    if (std::any_of(result.cells.begin(), result.cells.end(), same)) continue;
    result.cells.push_back(
        {start, stored.cell.seed, stored.score, stored.final_loss, stored.curve, stored.train_curve});
  }
  return result;
}

void add_size(Experiment& experiment, Index size, const Contents& contents, const Yardstick& yardstick) {
  SizeResult result = read_size(contents, size);
  const bool judged = contents.is_done(evidence_kind, size);
  result.complete = judged && contents.is_done(training_kind, size);
  if (judged) {
    const std::vector<Candidate> grid = candidates_on_grid(result, experiment.specification);
    if (const Candidate* best = preferred_by(evidence_kind, grid)) result.recommended = *best;
  }
  if (result.complete) measure_rules(experiment, result, yardstick);
  experiment.complete = experiment.complete && result.complete;
  experiment.sizes.push_back(std::move(result));
}

}  // namespace

std::filesystem::path database_path(const std::filesystem::path& folder) { return folder / "experiment.sqlite"; }

Entries experiment_facts(const PreparedData& largest) {
  Json json = data_json(summarize(largest));
  json["test_rows"] = largest.test.size();
  if (largest.target_scale.size() > 0) json["target_scale"] = largest.target_scale.mean();
  return {{facts_key, json.dump(-1, ' ', false, Json::error_handler_t::replace)}};
}

}  // namespace internal

Experiment read_experiment(const std::filesystem::path& folder) {
  using namespace internal;
  const std::filesystem::path path = database_path(folder);
  if (!std::filesystem::exists(path)) {
    throw Error(ErrorKind::io, fmt::format("there is no experiment in '{}'", folder.string()));
  }
  Store store(path, Database::Mode::existing, {});
  const Snapshot unchanged = store.snapshot();
  store.require_sound();
  const Facts facts = read_facts(store.fact(facts_key), path.string());
  Experiment experiment;
  experiment.data = facts.data;
  experiment.test_rows = facts.test_rows;
  experiment.specification =
      parse_specification(toml_text(store.entries(specification_entries({}))), path.string(), unnamed_values());
  experiment.threads = store.threads();
  experiment.complete = true;
  const Contents contents{store.cells(),
                          store.scores(),
                          store.training(),
                          {experiment.specification.network, experiment.data.features, experiment.data.outputs}};
  for (const Index size : experiment.specification.sizes) add_size(experiment, size, contents, facts.yardstick);
  return experiment;
}

}  // namespace priorfit
