#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "data/summary.hpp"
#include "priorfit/recommend.hpp"
#include "priorfit/version.hpp"
#include "recommend/cell_json.hpp"
#include "signal/signal_json.hpp"

namespace priorfit {
namespace {

Json recommended_json(const Recommendation& r) {
  Json json = cell_json(r.best());
  Json bounds = Json::array();
  for (const BoundReached& bound : r.at_bound) {
    bounds.push_back(std::string(to_string(bound.parameter)) + (bound.upper ? ":upper" : ":lower"));
  }
  json["at_bound"] = bounds;
  if (!r.gradient) return json;
  json["gradient"] = {{"weight_variance", finite_or_null(r.gradient->by_weight_variance)},
                      {"bias_variance", finite_or_null(r.gradient->by_bias_variance)},
                      {"noise_variance", finite_or_null(r.gradient->by_noise_variance)}};
  Json intervals = Json::object(), flat = Json::array();
  for (const Parameter parameter : {Parameter::weight_variance, Parameter::bias_variance, Parameter::noise_variance}) {
    const auto& interval = r.intervals[static_cast<std::size_t>(parameter)];
    intervals[std::string(to_string(parameter))] = interval ? Json{interval->lower, interval->upper} : Json(nullptr);
  }
  for (const Parameter parameter : r.flat) flat.push_back(to_string(parameter));
  json["intervals"] = intervals;
  json["flat"] = flat;
  return json;
}

Json search_json(const Recommendation& r) {
  Json optima = Json::array();
  for (const LocalOptimum& optimum : r.optima) {
    Json entry = cell_json(optimum.cell);
    entry["samples"] = optimum.samples;
    optima.push_back(entry);
  }
  return {{"method", r.is_grid() ? "grid" : "continuous"},
          {"noise", r.noise_fitted ? "fitted" : "fixed"},
          {"factorizations", r.cost.factorizations},
          {"gradients", r.cost.gradients},
          {"reductions", r.cost.reductions},
          {"equivalent_factorizations", r.cost.equivalents},
          {"starts", r.starts},
          {"seconds", r.search_seconds},
          {"optima", optima}};
}

Json path_json(const Growth& growth) {
  Json path = Json::array();
  for (const GrowthStep& step : growth.steps) {
    Json optima = Json::array();
    for (const EvidenceCell& cell : step.optima) optima.push_back(cell_json(cell));
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

Json signal_of(const Recommendation& r, const LayerPrior& prior) {
  return signal_json(signal_propagation(r.network.activation, prior));
}

Json baselines_json(const Recommendation& r) {
  Json baselines = Json::array();
  for (const Baseline& baseline : r.baselines) {
    Json entry = {{"name", baseline.name}};
    entry.update(cell_json(baseline.cell));
    entry["gain"] = finite_or_null(r.gain_over(baseline));
    if (!baseline.is_pair) {  // no pair is this model
      entry.erase("weight_variance");
      entry.erase("bias_variance");
      Json biases = Json::array();
      for (const LayerPrior& layer : baseline.layers) biases.push_back(layer.bias_variance);
      entry["layer_bias_variances"] = biases;
    }
    if (baseline.layer_weight_variances.empty()) entry["signal"] = signal_of(r, baseline.cell.prior);
    if (!baseline.layer_weight_variances.empty()) entry["layer_weight_variances"] = baseline.layer_weight_variances;
    baselines.push_back(entry);
  }
  return baselines;
}

Json trained_risk_json(const Recommendation& r) {
  Json json = {{"samples", r.risk_samples},
               {"optimizer", to_string(r.risk_options.optimizer)},
               {"relative_ridge", r.risk_options.ridge},
               {"widths", r.network.hidden_widths}};
  if (r.recommended.risk) json["tolerance"] = preference_tolerance(*r.recommended.risk);
  if (r.risk_options.time) {
    json["steps"] = r.risk_options.time->steps;
    json["learning_rate"] = r.risk_options.time->learning_rate;
  }
  if (r.least_risk) json["least"] = cell_json(*r.least_risk);
  if (r.most_evidence) json["most_evidence"] = cell_json(*r.most_evidence);
  return json;
}

}  // namespace

std::string to_csv(const Recommendation& r) {
  std::string out =
      "weight_variance,bias_variance,noise_variance,log_marginal_likelihood,per_value,jitter,status,leave_one_out,"
      "output_weight_variance,predicted_error,predicted_standard_error,predicted_data_error,"
      "predicted_initialisation_error,predicted_accuracy\n";
  const auto add = [&](const EvidenceCell& cell) {
    const Evidence& e = cell.evidence;
    const auto figure = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); };
    const double none = std::numeric_limits<double>::quiet_NaN();
    const TrainedRisk risk = cell.risk.value_or(TrainedRisk{});
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", cell.prior.weight_variance,
                       cell.prior.bias_variance, figure(e.noise_variance), figure(e.log_marginal_likelihood),
                       figure(e.per_value), e.jitter, to_string(e.status), figure(e.leave_one_out),
                       figure(cell.prior.output_weight_variance.value_or(none)), figure(risk.error),
                       figure(risk.standard_error), figure(risk.data_error), figure(risk.initialisation_error),
                       figure(risk.accuracy.value_or(none)));
  };
  for (const EvidenceCell& cell : r.grid) add(cell);
  if (!r.is_grid()) add(r.best());
  return out;
}

std::string to_json(const Recommendation& r) {
  Json json;
  json["schema"] = "priorfit.recommendation/1";
  json["version"] = version();
  if (!r.command.empty()) json["command"] = r.command;
  json["data"] = data_json(r.data);
  json["network"] = {{"depth", r.network.depth()}, {"activation", r.network.activation.name()}};
  json["recommended"] = recommended_json(r);
  json["recommended"]["signal"] = signal_of(r, r.best().prior);
  json["grid"] = Json::array();
  for (const EvidenceCell& cell : r.grid) json["grid"].push_back(cell_json(cell));
  json["baselines"] = baselines_json(r);
  json["criterion"] = to_string(r.criterion);
  if (r.risk_samples > 0) json["trained_risk"] = trained_risk_json(r);
  json["search"] = search_json(r);
  if (r.growth) {
    json["search"]["settled"] = r.growth->settled;
    json["search"]["ended_by"] = r.growth->ended_by;
    json["search"]["tolerance"] = r.growth->tolerance;
    json["path"] = path_json(*r.growth);
  }
  if (r.surface) json["surface"] = surface_json(*r.surface);
  const PasteLines lines = paste_lines(r.best().prior);
  json["paste"] = {{"pytorch", lines.pytorch}, {"keras", lines.keras}, {"flax", lines.flax}};
  json["timing"] = {{"seconds", r.seconds}};
  json["memory"] = {{"peak_bytes", r.peak_bytes}, {"gram_held", r.gram_held}};
  return json_text(json);
}

}  // namespace priorfit
