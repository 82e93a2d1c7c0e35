#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/summary.hpp"
#include "experiment/start_key.hpp"
#include "mlp/training_text.hpp"
#include "priorfit/experiment.hpp"
#include "priorfit/version.hpp"
#include "render/cell_json.hpp"
#include "support/word_table.hpp"

namespace priorfit {
namespace internal {
namespace {

bool classification(const Experiment& e) { return e.data.task == Task::classification; }
const char* score_name(const Experiment& e) { return classification(e) ? "accuracy" : "rmse"; }

std::string score_text(const Experiment& e, double score) {
  if (!std::isfinite(score)) return "diverged";
  return classification(e) ? fmt::format("{:.2f} %", 100 * score) : fmt::format("{:.5g}", score);
}

std::string with_error(const Experiment& e, const RuleRow& row) {
  const std::string score = score_text(e, row.score);
  return row.standard_error ? score + " ± " + score_text(e, *row.standard_error) : score;
}

std::string assumptions(const Experiment& e) {
  const ExperimentSpecification& s = e.specification;
  return fmt::format(
      "{}: {} rows, {} features, {}, {} output{}, preprocess {}; sizes {} drawn with seed {}; tested on {} rows\n"
      "network: widths {}, {}; {}; {} seed{}; noise variance {}\n",
      e.data.name, e.data.rows, e.data.features, to_string(e.data.task), e.data.outputs, e.data.outputs == 1 ? "" : "s",
      to_string(e.data.preprocess), fmt::join(s.sizes, ", "), s.seed, e.test_rows, s.network.widths_text(),
      s.network.activation.name(), internal::how_trained(s.training.resolved(classification(e))), s.seeds,
      s.seeds == 1 ? "" : "s", s.noise_variance ? fmt::format("{:g}", *s.noise_variance) : "fitted");
}

std::ptrdiff_t pairs_in(const SizeResult& size) {
  return std::count_if(size.candidates.begin(), size.candidates.end(),
                       [](const Candidate& candidate) { return !own_scheme(candidate.start); });
}

std::ptrdiff_t judged_by_evidence(const SizeResult& size) {
  return std::count_if(size.candidates.begin(), size.candidates.end(),
                       [](const Candidate& candidate) { return candidate.has_evidence(); });
}

std::string state_sentences(const Experiment& e) {
  std::string text;
  for (const SizeResult& size : e.sizes) {
    if (size.rank_correlation) {
      text +=
          fmt::format("N = {}: rank correlation of evidence and trained {} over {} pairs {:.2f}\n", size.size,
                      classification(e) ? "accuracy" : "error (sign turned)", pairs_in(size), *size.rank_correlation);
    }
    if (size.risk_rank_correlation) {
      text += fmt::format("N = {}: rank correlation of predicted and trained {} {:.2f}", size.size,
                          classification(e) ? "accuracy" : "error", *size.risk_rank_correlation);
      if (size.prediction_error) {
        text += classification(e)
                    ? fmt::format("; predicted accuracy off by {:.2f} points on average", 100 * *size.prediction_error)
                    : fmt::format("; predicted RMSE off by {:.3g} of the targets' deviation on average",
                                  *size.prediction_error);
      }
      text += "\n";
    }
    if (!size.complete) {
      text += fmt::format("N = {}: not finished: evidence of {} pairs, {} networks trained\n", size.size,
                          judged_by_evidence(size), size.cells.size());
    }
  }
  return text;
}

WordTable rule_table(const Experiment& e) {
  WordTable table{.alignment = "rlrlr", .rows = {{"size", "rule", score_name(e), "(σ_w², σ_b²)", "regret", "rank"}}};
  for (const RuleRow& row : e.rows) {
    table.rows.push_back({fmt::format("{}", row.size), row.rule, with_error(e, row), start_name(row.start),
                          score_text(e, row.regret), fmt::format("{}", row.rank)});
  }
  return table;
}

/// On the map of the page: a scheme and layers that differ have no place there.
bool is_pair(const Initialisation& start) { return start.pair() && !own_scheme(start); }

Json named_start_json(const Initialisation& start) {
  if (const auto scheme = own_scheme(start)) return {{"scheme", to_string(*scheme)}};
  if (start.pair() || start.own_output()) return start_json(start);
  return {{"layers", layers_json(start)}};
}

Json prediction_json(const TrainedRiskOptions& options) {
  Json json = {{"optimizer", to_string(options.optimizer)}, {"ridge", options.ridge}};
  if (options.time) {
    json["steps"] = options.time->steps;
    json["learning_rate"] = options.time->learning_rate;
  }
  return json;
}

Json specification_json(const Experiment& e) {
  const ExperimentSpecification& s = e.specification;
  const TrainOptions training = s.training.resolved(classification(e));
  return {{"source", s.data.source},
          {"preprocess", s.preprocess ? Json(to_string(*s.preprocess)) : Json("auto")},
          {"test_fraction", s.test_fraction},
          {"widths", s.network.hidden_widths},
          {"depth", s.network.depth()},
          {"activation", s.network.activation.name()},
          {"weight_variances", s.weight_variances},
          {"bias_variances", s.bias_variances},
          {"output_weight_variances", s.output_weight_variances},
          {"noise_variance", s.noise_variance ? Json(*s.noise_variance) : Json("fit")},
          {"sizes", s.sizes},
          {"seeds", s.seeds},
          {"seed", s.seed},
          {"epochs", training.epochs},
          {"batch", training.batch},
          {"learning_rate", *training.learning_rate.base},
          {"learning_rate_decay", to_string(training.learning_rate.decay)},
          {"warmup_epochs", training.learning_rate.warmup_epochs},
          {"loss", to_string(*training.loss)},
          {"label_smoothing", training.label_smoothing},
          {"optimizer", to_string(training.optimizer.kind)},
          {"weight_decay", training.optimizer.weight_decay},
          {"momentum", training.optimizer.momentum},
          {"nesterov", training.optimizer.nesterov},
          {"validation_fraction", training.validation_fraction},
          {"patience", training.patience},
          {"trained", internal::how_trained(training)},
          {"prediction", prediction_json(s.prediction)},
          {"toml", to_toml(s)}};
}

Json curve_json(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(finite_or_null(value));
  return json;
}

/// A start and what criteria said of it; those that are not of the library by their name.
Json judged_json(const Candidate& candidate) {
  Json json = named_start_json(candidate.start);
  for (const auto& [name, score] : candidate.scores) {
    if (score.evidence()) {
      json.update(evidence_json(*score.evidence()));
    } else if (score.risk()) {
      json["trained"] = risk_json(*score.risk());
    } else {
      json["scores"][name] = score.ok() ? Json{{"value", score.value()}} : Json{{"failure", score.failure()}};
    }
  }
  return json;
}

Json size_json(const Experiment& e, const SizeResult& size) {
  Json json = {{"size", size.size}, {"complete", size.complete}};
  json["recommended"] = size.recommended ? judged_json(*size.recommended) : Json(nullptr);
  json["evidence"] = json["other_evidence"] = json["cells"] = json["other_cells"] = Json::array();
  for (const Candidate& candidate : size.candidates) {
    json[is_pair(candidate.start) ? "evidence" : "other_evidence"].push_back(judged_json(candidate));
  }
  for (const TrainedCell& cell : size.cells) {
    Json item = named_start_json(cell.start);
    item["seed"] = cell.seed;
    item[score_name(e)] = finite_or_null(cell.score);
    item["final_loss"] = finite_or_null(cell.final_loss);
    item["curve"] = curve_json(cell.curve);
    item["train_curve"] = curve_json(cell.train_curve);
    json[is_pair(cell.start) ? "cells" : "other_cells"].push_back(item);
  }
  json["rank_correlation"] = size.rank_correlation ? Json(*size.rank_correlation) : Json(nullptr);
  if (size.risk_rank_correlation) json["risk_rank_correlation"] = *size.risk_rank_correlation;
  if (size.prediction_error) json["prediction_error"] = *size.prediction_error;
  return json;
}

Json row_json(const Experiment& e, const RuleRow& row) {
  Json json = {{"size", row.size}, {"rule", row.rule}};
  json[score_name(e)] = finite_or_null(row.score);
  json["standard_error"] = row.standard_error ? finite_or_null(*row.standard_error) : Json(nullptr);
  json.update(named_start_json(row.start));
  json["regret"] = finite_or_null(row.regret);
  json["rank"] = row.rank;
  return json;
}

}  // namespace
}  // namespace internal

std::string to_table(const Experiment& e) {
  using namespace internal;
  return assumptions(e) + "\n" + aligned(rule_table(e)) + "\n" + state_sentences(e);
}

std::string to_markdown(const Experiment& e) {
  using namespace internal;
  return paragraphs(assumptions(e)) + markdown(rule_table(e)) + "\n" + paragraphs(state_sentences(e));
}

std::string to_csv(const Experiment& e) {
  using namespace internal;
  const auto figure = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); };
  std::string out = fmt::format(
      "size,rule,{},standard_error,weight_variance,bias_variance,output_weight_variance,regret,rank\n", score_name(e));
  for (const RuleRow& row : e.rows) {
    const bool has_pair = !own_scheme(row.start) && (row.start.pair() || row.start.own_output());
    const std::optional<LayerPrior> pair = has_pair ? row.start.hidden_pair() : std::nullopt;
    const std::optional<double> output = has_pair ? row.start.own_output() : std::nullopt;
    out += fmt::format("{},{},{},{},{},{},{},{},{}\n", row.size, row.rule, figure(row.score),
                       row.standard_error ? figure(*row.standard_error) : std::string(),
                       pair ? figure(pair->weight_variance) : "", pair ? figure(pair->bias_variance) : "",
                       output ? figure(*output) : "", figure(row.regret), row.rank);
  }
  return out;
}

std::string to_json(const Experiment& e) {
  using namespace internal;
  Json json;
  json["schema"] = "priorfit.experiment/1";
  json["version"] = version();
  // The specification says it all, and unlike the command line it is the same for a run that was continued.
  json["command"] = "priorfit experiment --specification specification.toml";
  json["data"] = data_json(e.data);
  json["data"]["test_rows"] = e.test_rows;
  json["specification"] = specification_json(e);
  json["sizes"] = Json::array();
  for (const SizeResult& size : e.sizes) json["sizes"].push_back(size_json(e, size));
  json["rows"] = Json::array();
  for (const RuleRow& row : e.rows) json["rows"].push_back(row_json(e, row));
  json["threads"] = e.threads;
  json["complete"] = e.complete;
  return json_text(json);
}

}  // namespace priorfit
