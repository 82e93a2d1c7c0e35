#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/summary.hpp"
#include "model/start_json.hpp"
#include "priorfit/predict.hpp"
#include "priorfit/version.hpp"
#include "support/word_table.hpp"

namespace priorfit {
using namespace internal;
namespace {

struct Figure {
  const char* name;   // in CSV and JSON
  const char* words;  // in tables
  double value;
};

/// The measure of the task first.
std::vector<Figure> figures(const PredictionSummary& s) {
  std::vector<Figure> list;
  if (s.score.accuracy) list.push_back({"accuracy", "accuracy", *s.score.accuracy});
  if (s.score.balanced_accuracy) {
    list.push_back({"balanced_accuracy", "balanced accuracy", *s.score.balanced_accuracy});
  }
  list.push_back({"rmse", "root mean squared error", s.score.rmse});
  list.push_back({"negative_log_predictive_density", "negative log predictive density (nats per target value)",
                  s.score.negative_log_predictive_density});
  list.push_back({"coverage95", "coverage of the 95 % interval", s.score.coverage95});
  return list;
}

std::string variances_text(const Initialisation& start) {
  const auto pair = start.pair();
  if (!pair) return "layers " + to_string(start);
  return fmt::format("σ_w² = {:g}, σ_b² = {:g}", pair->weight_variance, pair->bias_variance);
}

std::string fitted_text(const PredictionSummary& s) {
  if (s.start_by_evidence)
    return s.noise_by_evidence ? " (variances and noise by the evidence)" : " (variances by the evidence)";
  return s.noise_by_evidence ? " (the noise by the evidence)" : "";
}

std::string assumptions(const PredictionSummary& s) {
  return fmt::format("{}; tested on {} rows\nnetwork: depth {}, {}; {}, noise variance {:g}{}\n", data_sentence(s.data),
                     s.test_rows, s.network.depth(), s.network.activation.name(), variances_text(s.start),
                     s.factorization.noise_variance, fitted_text(s));
}

std::string remark(const PredictionSummary& s) {
  const std::string text = s.factorization.remark();
  return text.empty() ? text : "note: " + text + "\n";
}

std::string figure_text(const Figure& figure) {
  const std::string name = figure.name;
  if (name == "accuracy" || name == "balanced_accuracy" || name == "coverage95")
    return fmt::format("{:.2f} %", 100 * figure.value);
  return fmt::format("{:.5g}", figure.value);
}

WordTable figure_table(const PredictionSummary& s) {
  WordTable table{.alignment = "lr", .rows = {{"figure", "value"}}};
  for (const Figure& figure : figures(s)) table.rows.push_back({figure.words, figure_text(figure)});
  return table;
}

/// The one statement about the intervals, with room for the chance in so few rows.
std::string interval_sentence(const PredictionSummary& s) {
  const double coverage = s.score.coverage95;
  const double values = static_cast<double>(s.test_rows * s.data.outputs);
  const double chance = std::max(0.015, 2 * std::sqrt(0.95 * 0.05 / std::max(1.0, values)));
  const char* width = coverage > 0.95 + chance   ? "wider than they need to be"
                      : coverage < 0.95 - chance ? "too narrow"
                                                 : "about as wide as they should be";
  return fmt::format("The 95 % intervals hold {:.1f} % of the true values: they are {}.", 100 * coverage, width);
}

std::string calibration_sentence(const PredictionSummary& s) {
  std::string text = "other intervals, nominal → observed:";
  for (const CalibrationPoint& point : s.calibration) {
    const double percent = 100 * point.nominal;
    if (percent < 99 && std::lround(percent) % 25 != 0) continue;
    text += fmt::format("  {:.0f} → {:.1f} %", percent, 100 * point.observed);
  }
  return text + "\n";
}

}  // namespace

std::string to_table(const PredictionSummary& s) {
  return assumptions(s) + remark(s) + "\n" + aligned(figure_table(s), 0) + "\n" + interval_sentence(s) + "\n" +
         calibration_sentence(s);
}

std::string to_markdown(const PredictionSummary& s) {
  WordTable calibration{.alignment = "r", .rows = {{"nominal", "observed"}}};
  for (const CalibrationPoint& point : s.calibration) {
    calibration.rows.push_back({fmt::format("{:.2f}", point.nominal), fmt::format("{:.4f}", point.observed)});
  }
  return paragraphs(assumptions(s) + remark(s)) + markdown(figure_table(s)) + "\n" + paragraphs(interval_sentence(s)) +
         markdown(calibration);
}

std::string to_csv(const PredictionSummary& s) {
  std::string out = "figure,value\n";
  for (const Figure& figure : figures(s)) out += fmt::format("{},{}\n", figure.name, figure.value);
  for (const CalibrationPoint& point : s.calibration) {
    out += fmt::format("coverage of {:.2f},{}\n", point.nominal, point.observed);
  }
  return out;
}

std::string to_json(const PredictionSummary& s) {
  Json json;
  json["schema"] = "priorfit.prediction/1";
  json["version"] = version();
  if (!s.command.empty()) json["command"] = s.command;
  json["data"] = data_json(s.data);
  json["network"] = {{"depth", s.network.depth()}, {"activation", s.network.activation.name()}};
  json["prior"] = internal::start_json(s.start);
  json["layers"] = internal::layers_json(s.start);
  json["noise_variance"] = s.factorization.noise_variance;
  json["jitter"] = s.factorization.jitter;
  json["status"] = to_string(s.factorization.status);
  json["rows"] = s.test_rows;
  for (const Figure& figure : figures(s)) json[figure.name] = finite_or_null(figure.value);
  json["calibration"] = Json::array();
  for (const CalibrationPoint& point : s.calibration) {
    json["calibration"].push_back({{"nominal", point.nominal}, {"observed", point.observed}});
  }
  if (s.start_by_evidence) json["chosen_by"] = "evidence";
  if (s.noise_by_evidence) json["noise_chosen_by"] = "evidence";
  json["sentences"] = Json::array({{{"kind", "intervals"}, {"text", interval_sentence(s)}}});
  if (!s.points.empty()) {
    json["points"] = Json::array();
    for (const PredictedPoint& point : s.points) {
      json["points"].push_back({{"true", finite_or_null(point.truth)},
                                {"predicted", finite_or_null(point.mean)},
                                {"deviation", finite_or_null(point.deviation)}});
    }
  }
  if (!s.confusion.empty()) {
    json["classes"] = s.classes;
    json["confusion"] = s.confusion;
  }
  json["threads"] = s.threads;
  json["timing"] = {{"seconds", s.seconds}};
  json["memory"] = {{"peak_bytes", s.peak_bytes}};
  return json_text(json);
}

}  // namespace priorfit
