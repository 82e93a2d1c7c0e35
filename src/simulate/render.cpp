#include <fmt/format.h>

#include "priorfit/simulate.hpp"
#include "priorfit/version.hpp"
#include "render/cell_json.hpp"
#include "support/word_table.hpp"

namespace priorfit {
using namespace internal;
namespace {

std::string pair_text(const LayerPrior& prior) {
  return fmt::format("({:g}, {:g})", prior.weight_variance, prior.bias_variance);
}

Json pair_json(const LayerPrior& prior) {
  return {{"weight_variance", prior.weight_variance}, {"bias_variance", prior.bias_variance}};
}

double recovery_fraction(const Simulation& s) {
  return static_cast<double>(s.recovered) / static_cast<double>(s.options.seeds);
}

std::string assumptions(const Simulation& s) {
  const SimulationOptions& o = s.options;
  return fmt::format(
      "{} points in [0, 1], {} to train and {} to test; {} paths from the design pair {}; target: {}\n"
      "noise variance {:g} in training values, test values and model; seeds {} to {}\n",
      o.points, o.train_points, o.points - o.train_points, o.paths, pair_text(o.design), to_string(o.target),
      o.noise_variance, o.first_seed, o.first_seed + static_cast<std::uint64_t>(o.seeds) - 1);
}

std::string recovery_sentence(const Simulation& s) {
  return fmt::format("The evidence recovers the design pair in {} of {} seeds ({:.0f} %).\n", s.recovered,
                     s.options.seeds, 100 * recovery_fraction(s));
}

WordTable best_pairs(const Simulation& s) {
  WordTable table{.alignment = "lr", .rows = {{"best pair", "seeds"}}};
  for (const auto& entry : s.argmax) table.rows.push_back({pair_text(entry.prior), fmt::format("{}", entry.count)});
  return table;
}

WordTable prediction_errors(const Simulation& s) {
  const auto row = [](const std::string& name, double rmse) -> std::vector<std::string> {
    return {name, fmt::format("{:.3g}", rmse)};
  };
  return {.alignment = "lr",
          .rows = {{"prediction", "median RMSE"},
                   row("at the best pair", s.median_rmse_argmax),
                   row("at the design pair", s.median_rmse_design),
                   row("at " + pair_text(s.options.worst_pair), s.median_rmse_worst_pair)}};
}

Json values(const Vector& vector) { return std::vector<double>(vector.data(), vector.data() + vector.size()); }

Json prediction_json(const SimulatedPrediction& p) {
  Json json = pair_json(p.prior);
  json["rmse"] = p.rmse;
  json["locations"] = values(p.locations);
  json["predicted"] = values(p.predicted);
  json["true"] = values(p.truth);
  return json;
}

Json example_json(const SimulationExample& e) {
  Json json = {{"seed", e.seed}, {"locations", values(e.locations)}, {"train", e.train}, {"test", e.test}};
  json["paths"] = Json::array();
  for (Index i = 0; i < e.paths.rows(); ++i) json["paths"].push_back(values(e.paths.row(i)));
  json["grid"] = Json::array();
  for (const Candidate& cell : e.grid) json["grid"].push_back(internal::cell_json(cell));
  json["best"] = prediction_json(e.best);
  json["worst"] = prediction_json(e.worst);
  return json;
}

}  // namespace

std::string_view target_explanation() {
  return "The mean of n independent paths of a process with covariance K is a draw from a process with covariance K/n. "
         "With the mean as the target the evidence therefore looks for a prior of a tenth of the design's variance "
         "(n = 10), and rightly prefers smaller variances than those the paths were drawn from: the design pair is not "
         "the truth of that data. With the paths as separate outputs each target has covariance K, the design pair is "
         "the truth, and ten outputs give ten times the information.";
}

std::string to_table(const Simulation& s) {
  return assumptions(s) + "\n" + recovery_sentence(s) + "\n" + aligned(best_pairs(s), 0) + "\n" +
         aligned(prediction_errors(s), 0) + "\n" + std::string(target_explanation()) + "\n";
}

std::string to_markdown(const Simulation& s) {
  return paragraphs(assumptions(s) + recovery_sentence(s)) + markdown(best_pairs(s)) + "\n" +
         markdown(prediction_errors(s)) + "\n" + std::string(target_explanation()) + "\n";
}

std::string to_csv(const Simulation& s) {
  std::string out = "seed,weight_variance,bias_variance,rmse_argmax,rmse_design,rmse_worst_pair\n";
  for (const SeedOutcome& o : s.outcomes) {
    out += fmt::format("{},{},{},{},{},{}\n", o.seed, o.argmax.weight_variance, o.argmax.bias_variance, o.rmse_argmax,
                       o.rmse_design, o.rmse_worst_pair);
  }
  return out;
}

std::string to_json(const Simulation& s) {
  const SimulationOptions& o = s.options;
  Json json;
  json["schema"] = "priorfit.simulation/1";
  json["version"] = version();
  if (!s.command.empty()) json["command"] = s.command;
  json["target"] = to_string(o.target);
  json["noise_variance"] = o.noise_variance;
  json["test_values_carry_noise"] = true;
  json["first_seed"] = o.first_seed;
  json["design"] = pair_json(o.design);
  json["worst_pair"] = pair_json(o.worst_pair);
  json["weight_variances"] = o.weight_variances;
  json["bias_variances"] = o.bias_variances;
  json["recovery"] = {{"count", s.recovered}, {"seeds", o.seeds}, {"fraction", recovery_fraction(s)}};
  json["argmax"] = Json::array();
  for (const auto& entry : s.argmax) {
    Json item = pair_json(entry.prior);
    item["count"] = entry.count;
    json["argmax"].push_back(item);
  }
  json["rmse"] = {
      {"argmax", s.median_rmse_argmax}, {"design", s.median_rmse_design}, {"worst_pair", s.median_rmse_worst_pair}};
  json["explanation"] = target_explanation();
  json["example"] = example_json(s.example);
  json["threads"] = s.threads;
  json["timing"] = {{"seconds", s.seconds}};
  return json_text(json);
}

}  // namespace priorfit
