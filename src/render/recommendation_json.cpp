#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "criteria/risk_preference.hpp"
#include "data/summary.hpp"
#include "priorfit/recommend.hpp"
#include "priorfit/version.hpp"
#include "render/advice.hpp"
#include "render/advice_json.hpp"
#include "render/captions.hpp"
#include "render/cell_json.hpp"
#include "render/figures.hpp"
#include "signal/signal_json.hpp"

namespace priorfit {
namespace internal {
namespace {

/// Where the output layer may have its own variance, it is named also where it is that of the others.
Json member_json(const Recommendation& r, const Candidate& candidate) {
  Json json = cell_json(candidate);
  if (r.family == FamilyKind::output) {
    json["weight_variance"] = candidate.start.layers.front().weight_variance;
    json["bias_variance"] = candidate.start.layers.front().bias_variance;
    json["output_weight_variance"] = candidate.start.layers.back().weight_variance;
  }
  return json;
}

Json recommended_json(const Recommendation& r) {
  Json json = member_json(r, r.chosen);
  json["family"] = to_string(r.family);
  json["layers"] = layers_json(r.chosen.start);
  json["distribution"] = to_string(r.chosen.start.distribution);
  if (const auto pair = r.chosen.start.hidden_pair()) {
    json["signal"] = signal_json(signal_propagation(r.network.activation, *pair));
  }
  Json bounds = Json::array();
  if (r.advice) {  // bounds, slopes and intervals are those of the evidence's maximum, and stand there
    json["at_bound"] = bounds;
    return json;
  }
  for (const BoundReached& bound : r.at_bound) bounds.push_back(bound.name + (bound.upper ? ":upper" : ":lower"));
  json["at_bound"] = bounds;
  if (const ContinuousTrace* trace = r.continuous()) {
    Json gradient = Json::object(), intervals = Json::object(), flat = Json::array();
    for (const Estimate& estimate : trace->estimates) {
      gradient[estimate.name] = finite_or_null(estimate.slope);
      intervals[estimate.name] =
          estimate.interval ? Json{estimate.interval->lower, estimate.interval->upper} : Json(nullptr);
      if (estimate.flat) flat.push_back(estimate.name);
    }
    json["gradient"] = gradient;
    json["intervals"] = intervals;
    json["flat"] = flat;
    json["flat_directions"] = trace->flat_directions;
  }
  return json;
}

Json sentences_json(const std::vector<Sentence>& sentences) {
  Json words = Json::array();
  for (const Sentence& sentence : sentences) words.push_back({{"kind", sentence.kind}, {"text", sentence.text}});
  return words;
}

/// The evidence's own choice, as it is recommended where the evidence decides.
Json by_evidence_json(const Recommendation& answer) {
  const Recommendation r = about_the_evidence(answer);
  Json json = recommended_json(r);
  json.update(candidate_json(r.chosen));
  json["sentences"] = sentences_json(sentences(r));
  return json;
}

Json search_json(const Recommendation& r) {
  Json json = {{"method", r.grid() ? "grid" : "continuous"},
               {"noise", r.noise_fitted ? "fitted" : "fixed"},
               {"factorizations", r.cost.factorizations},
               {"gradients", r.cost.gradients},
               {"reductions", r.cost.reductions},
               {"equivalent_factorizations", r.cost.equivalents},
               {"starts", r.continuous() ? r.continuous()->starts : 0},
               {"seconds", r.search_seconds},
               {"optima", Json::array()}};
  if (!r.continuous()) return json;
  json["converged"] = r.continuous()->converged;
  for (const LocalOptimum& optimum : r.continuous()->optima) {
    Json entry = cell_json(optimum.candidate);
    entry["samples"] = optimum.samples;
    json["optima"].push_back(entry);
  }
  if (const auto& growth = r.continuous()->growth) {
    json["settled"] = growth->settled;
    json["ended_by"] = growth->ended_by;
    json["tolerance"] = growth->tolerance;
  }
  return json;
}

Json path_json(const Growth& growth) {
  Json path = Json::array();
  for (const GrowthStep& step : growth.steps) {
    Json optima = Json::array();
    for (const Candidate& candidate : step.optima) optima.push_back(cell_json(candidate));
    path.push_back({{"samples", step.samples},
                    {"subsets", optima},
                    {"spread", step.spread},
                    {"moved", step.moved ? Json(*step.moved) : Json(nullptr)},
                    {"seconds", step.seconds}});
  }
  return path;
}

Json surface_json(const EvidenceSurface& surface) {
  Json rows = Json::array();
  for (Index w = 0; w < surface.log_marginal_likelihood.rows(); ++w) {
    Json row = Json::array();
    for (Index b = 0; b < surface.log_marginal_likelihood.cols(); ++b) {
      row.push_back(finite_or_null(surface.log_marginal_likelihood(w, b)));
    }
    rows.push_back(row);
  }
  return {{"weight_variances", surface.weight_variances},
          {"bias_variances", surface.bias_variances},
          {"noise_variance", surface.noise_variance},
          {"samples", surface.samples},
          {"log_marginal_likelihood", rows}};
}

Json baselines_json(const Recommendation& r) {
  Json baselines = Json::array();
  for (const Candidate& baseline : r.baselines) {
    Json entry = {{"name", baseline_name(baseline)}};
    const auto pair = equivalent_pair(baseline.start, r.network);
    if (pair) {
      entry["weight_variance"] = pair->weight_variance;
      entry["bias_variance"] = pair->bias_variance;
    }
    Json figures = cell_json(baseline);
    figures.erase("weight_variance");
    figures.erase("bias_variance");
    entry.update(figures);
    if (const auto gain = r.gain_over(baseline)) entry["gain"] = *gain;
    entry["layers"] = layers_json(baseline.start);
    entry["distribution"] = to_string(baseline.start.distribution);
    if (baseline.start.scheme == InitialScheme::he || baseline.start.scheme == InitialScheme::lecun) {
      entry["signal"] = signal_json(signal_propagation(r.network.activation, *pair));
    } else {
      Json weights = Json::array(), biases = Json::array();
      for (const LayerPrior& layer : baseline.start.layers) {
        weights.push_back(layer.weight_variance);
        biases.push_back(layer.bias_variance);
      }
      entry["layer_weight_variances"] = weights;
      if (!pair) entry["layer_bias_variances"] = biases;
    }
    baselines.push_back(entry);
  }
  return baselines;
}

Json trained_risk_json(const Recommendation& r) {
  Json json = {{"samples", r.risk_samples},
               {"optimizer", to_string(r.risk_options.optimizer)},
               {"relative_ridge", r.risk_options.ridge},
               {"widths", r.network.hidden_widths},
               {"tolerance", preference_tolerance(r.data.task == Task::classification)}};
  if (r.advice && r.data.task == Task::regression) json["target_scale"] = r.target_scale;
  if (r.risk_options.time) {
    json["steps"] = r.risk_options.time->steps;
    json["learning_rate"] = r.risk_options.time->learning_rate;
  }
  if (r.criterion == "trained-risk")
    json["least"] = member_json(r, r.grid() && r.grid()->least ? *r.grid()->least : r.chosen);
  return json;
}

Json candidates_json(const Recommendation& r) {
  if (r.advice) return advice_candidates_json(*r.advice);
  Json candidates = Json::array();
  for (const Candidate& candidate : listed_candidates(r)) candidates.push_back(candidate_json(candidate));
  return candidates;
}

std::string csv_line(const Recommendation& r, const Candidate& cell) {
  const auto figure = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); };
  const double none = std::numeric_limits<double>::quiet_NaN();
  const bool own_output = r.family == FamilyKind::output;
  const bool pair = own_output || cell.start.pair();
  const Evidence e = cell.has_evidence()
                         ? cell.evidence()
                         : Evidence{.log_marginal_likelihood = none, .per_value = none, .noise_variance = none};
  const TrainedRisk risk = cell.has_risk() ? cell.risk() : TrainedRisk{};
  const LayerPrior& first = cell.start.layers.front();
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", pair ? figure(first.weight_variance) : "",
                     pair ? figure(first.bias_variance) : "", figure(e.noise_variance),
                     figure(e.log_marginal_likelihood), figure(e.per_value),
                     cell.has_evidence() ? figure(e.jitter) : "", cell.has_evidence() ? to_string(e.status) : "",
                     figure(e.leave_one_out), own_output ? figure(cell.start.layers.back().weight_variance) : "",
                     figure(risk.error), figure(risk.standard_error), figure(risk.data_error),
                     figure(risk.initialisation_error), figure(risk.accuracy.value_or(none)));
}

}  // namespace
}  // namespace internal

std::string to_csv(const Recommendation& r) {
  std::string out =
      "weight_variance,bias_variance,noise_variance,log_marginal_likelihood,per_value,jitter,status,leave_one_out,"
      "output_weight_variance,predicted_error,predicted_standard_error,predicted_data_error,"
      "predicted_initialisation_error,predicted_accuracy\n";
  if (!r.grid()) return out + internal::csv_line(r, r.chosen);
  for (const Candidate& cell : r.grid()->cells) out += internal::csv_line(r, cell);
  return out;
}

std::string to_json(const Recommendation& r) {
  using namespace internal;
  Json json;
  json["schema"] = "priorfit.recommendation/1";
  json["version"] = version();
  if (!r.command.empty()) json["command"] = r.command;
  json["data"] = data_json(r.data);
  json["network"] = {
      {"depth", r.network.depth()}, {"activation", r.network.activation.name()}, {"widths", r.network.hidden_widths}};
  json["recommended"] = recommended_json(r);
  json["grid"] = Json::array();
  if (r.grid()) {
    for (const Candidate& cell : r.grid()->cells) json["grid"].push_back(member_json(r, cell));
  }
  json["baselines"] = baselines_json(r);
  json["candidates"] = candidates_json(r);
  json["criterion"] = r.criterion;
  if (r.advice) {
    if (r.advice->largest_stable_rate) json["recommended"]["learning_rate"] = *r.advice->largest_stable_rate;
    add_advice(json, r);
    json["by_evidence"] = by_evidence_json(r);
  }
  json["as_good"] = as_good_starts(r);
  if (r.risk_samples > 0) json["trained_risk"] = trained_risk_json(r);
  json["search"] = search_json(r);
  if (const ContinuousTrace* trace = r.continuous()) {
    if (trace->growth) json["path"] = path_json(*trace->growth);
    if (trace->surface) json["surface"] = surface_json(*trace->surface);
  }
  json["sentences"] = sentences_json(sentences(r));
  json["captions"] = sentences_json(captions(r));
  const PasteLines lines = paste_lines(r);
  json["paste"] = {{"pytorch", lines.pytorch}, {"keras", lines.keras}, {"flax", lines.flax}};
  if (const std::string rows = paste_preparation(r.data.preparation); !rows.empty()) json["paste"]["rows"] = rows;
  json["threads"] = r.threads;
  json["timing"] = {{"seconds", r.seconds}};
  json["memory"] = {{"peak_bytes", r.peak_bytes}, {"gram_held", r.gram_held}};
  return json_text(json);
}

}  // namespace priorfit
