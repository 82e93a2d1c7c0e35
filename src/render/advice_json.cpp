#include "render/advice_json.hpp"

#include <cmath>

#include "render/advice.hpp"
#include "render/cell_json.hpp"

namespace priorfit::internal {
namespace {

template <typename Value>
void set(Json& json, const char* name, const std::optional<Value>& value) {
  if (value) json[name] = *value;
}

Json interval_json(const Interval& interval) { return Json::array({interval.lower, interval.upper}); }

Json measured_json(const MeasuredStart& measured) {
  return {{"networks", measured.networks}, {"value", measured.value}, {"standard_error", measured.standard_error}};
}

Json figure_json(const MeasuredStart& figure) {
  return {{"value", figure.value}, {"standard_error", finite_or_null(figure.standard_error)}};
}

Json verdict_json(const Recommendation& r) {
  const Verdict& verdict = r.advice->verdict;
  Json json = {{"action", to_string(verdict.action)},
               {"current", r.advice->names.front()},
               {"metric", verdict.metric},
               {"measured", verdict.measured}};
  set(json, "current_value", verdict.current_value);
  set(json, "recommended_value", verdict.recommended_value);
  set(json, "gain", verdict.gain);
  set(json, "gain_standard_error", verdict.gain_standard_error);
  if (verdict.gain_interval) json["gain_interval"] = interval_json(*verdict.gain_interval);
  json["flat"] = verdict.flat;
  json["best_other"] = r.advice->names[r.advice->finalist];
  return json;
}

Json pilots_json(const Advice& advice) {
  const PilotStudy& pilots = *advice.pilots;
  Json results = Json::array();
  for (const PilotResult& result : pilots.results) {
    results.push_back({{"start", advice.names[result.candidate]},
                       {"block", result.block},
                       {"seed", result.seed},
                       {"error", finite_or_null(result.error)},
                       {"loss", finite_or_null(result.loss)}});
  }
  return {{"count", pilots.count},
          {"folds", pilots.gain ? pilots.gain->blocks : 0},
          {"seeds", pilots.gain ? pilots.gain->seeds : 0},
          {"rows", pilots.rows},
          {"epochs", pilots.epochs},
          {"ended_by", pilots.ended_by},
          {"results", results}};
}

}  // namespace

Json advice_candidates_json(const Advice& advice) {
  Json candidates = Json::array();
  for (std::size_t i = 0; i < advice.starts.size(); ++i) {
    Json entry = candidate_json(advice.starts[i]);
    entry["name"] = advice.names[i];
    if (advice.pilots) {
      Json pilot = {{"log_error_against_current", advice.pilots->expected[i]},
                    {"standard_deviation", advice.pilots->deviation[i]}};
      if (const auto& measured = advice.pilots->measured[i]) pilot.update(measured_json(*measured));
      entry["scores"]["pilot"] = pilot;
    }
    candidates.push_back(entry);
  }
  return candidates;
}

void add_advice(Json& json, const Recommendation& r) {
  const Advice& advice = *r.advice;
  json["verdict"] = verdict_json(r);
  json["loss"] = to_string(*advice.training.loss);
  json["optimizer"] = to_string(advice.training.optimizer.kind);
  json["training"] = {{"epochs", advice.training.epochs},
                      {"batch", advice.training.batch},
                      {"learning_rate", *advice.training.learning_rate.base},
                      {"weight_decay", advice.training.optimizer.weight_decay}};
  Json starts = Json::array();
  for (const StartLine& line : start_lines(r)) {
    Json entry = {{"name", line.name},
                  {"candidate", line.place},
                  {"predicted", line.predicted},
                  {"measured", line.measured},
                  {"against", line.against}};
    if (line.prediction) entry["prediction"] = figure_json(*line.prediction);
    if (line.measurement) entry["measurement"] = figure_json(*line.measurement);
    starts.push_back(entry);
  }
  json["starts"] = starts;
  if (advice.pilots) json["pilots"] = pilots_json(advice);
}

}  // namespace priorfit::internal
