#include <fmt/format.h>

#include <cmath>

#include "data/summary.hpp"
#include "model/start_json.hpp"
#include "priorfit/predict.hpp"
#include "priorfit/version.hpp"

namespace priorfit {
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

std::string assumptions(const PredictionSummary& s) {
  return fmt::format("{}; tested on {} rows\nnetwork: depth {}, {}; {}, noise variance {:g}\n", data_sentence(s.data),
                     s.test_rows, s.network.depth(), s.network.activation.name(), variances_text(s.start),
                     s.factorization.noise_variance);
}

std::string remark(const PredictionSummary& s) {
  const std::string text = s.factorization.remark();
  return text.empty() ? text : "note: " + text + "\n";
}

std::string figure_text(const Figure& figure) {
  const std::string name = figure.name;
  if (name == "accuracy" || name == "coverage95") return fmt::format("{:.2f} %", 100 * figure.value);
  return fmt::format("{:.5g}", figure.value);
}

std::string calibration_sentence(const PredictionSummary& s) {
  std::string text = "central intervals, nominal → observed:";
  for (const CalibrationPoint& point : s.calibration) {
    const double percent = 100 * point.nominal;
    if (percent < 99 && std::lround(percent) % 25 != 0 && std::lround(percent) != 95) continue;
    text += fmt::format("  {:.0f} → {:.1f} %", percent, 100 * point.observed);
  }
  return text + "\n";
}

}  // namespace

std::string to_table(const PredictionSummary& s) {
  std::string out = assumptions(s) + remark(s) + "\n";
  for (const Figure& figure : figures(s)) out += fmt::format("{:<56}{:>12}\n", figure.words, figure_text(figure));
  return out + "\n" + calibration_sentence(s);
}

std::string to_markdown(const PredictionSummary& s) {
  std::string out = assumptions(s) + remark(s) + "\n| figure | value |\n|---|---:|\n";
  for (const Figure& figure : figures(s)) out += fmt::format("| {} | {} |\n", figure.words, figure_text(figure));
  out += "\n| nominal | observed |\n|---:|---:|\n";
  for (const CalibrationPoint& point : s.calibration) {
    out += fmt::format("| {:.2f} | {:.4f} |\n", point.nominal, point.observed);
  }
  return out;
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
  json["timing"] = {{"seconds", s.seconds}};
  json["memory"] = {{"peak_bytes", s.peak_bytes}};
  return json_text(json);
}

}  // namespace priorfit
