#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/summary.hpp"
#include "mlp/training_text.hpp"
#include "priorfit/version.hpp"
#include "support/json.hpp"
#include "support/word_table.hpp"

namespace priorfit {
using namespace internal;
namespace {

std::string figure(const std::optional<double>& value, double factor, const char* unit) {
  return value ? fmt::format("{:.4g}{}", factor * *value, unit) : std::string("—");
}

struct Column {
  const char* name;
  std::optional<double> Metrics::*value;
  double factor;
  const char* unit;
};

// Behind "loss"; those that no row has are left out.
constexpr Column quality_columns[] = {
    {"NLL", &Metrics::negative_log_likelihood, 1.0, ""},
    {"accuracy", &Metrics::accuracy, 100.0, " %"},
    {"balanced", &Metrics::balanced_accuracy, 100.0, " %"},
    {"top 5", &Metrics::top5_accuracy, 100.0, " %"},
    {"RMSE", &Metrics::rmse, 1.0, ""},
    {"R²", &Metrics::r_squared, 1.0, ""},
};

std::vector<std::vector<std::string>> result_rows(const TrainingReport& r) {
  std::vector<std::pair<const char*, const Metrics*>> sets = {{"train", &r.summary.train}};
  if (r.summary.validation) sets.emplace_back("validation", &*r.summary.validation);
  if (r.summary.test) sets.emplace_back("test", &*r.summary.test);
  std::vector<std::vector<std::string>> rows = {{"", "samples", "loss"}};
  for (const auto& [name, metrics] : sets) {
    rows.push_back({name, fmt::format("{}", metrics->samples), fmt::format("{:.4g}", metrics->loss)});
  }
  for (const Column& column : quality_columns) {
    if (std::none_of(sets.begin(), sets.end(), [&](const auto& set) { return bool(set.second->*column.value); }))
      continue;
    rows[0].push_back(column.name);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      rows[i + 1].push_back(figure(sets[i].second->*column.value, column.factor, column.unit));
    }
  }
  return rows;
}

std::string speed(const TrainingReport& r) {
  const TrainingSummary& s = r.summary;
  std::string text;
  if (s.resumed_epochs > 0)
    text += fmt::format("{} epochs were done before and read from the checkpoint\n", s.resumed_epochs);
  if (s.seconds_per_epoch > 0) {
    text += fmt::format("{:.3g} s per epoch, {:.0f} samples/s\n", s.seconds_per_epoch,
                        static_cast<double>(s.train.samples) / s.seconds_per_epoch);
  }
  return text;
}

Json optional_json(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json metrics_json(const Metrics& metrics) {
  Json json = {{"samples", metrics.samples}, {"loss", optional_json(metrics.loss)}};
  if (metrics.negative_log_likelihood) {
    json["negative_log_likelihood"] = optional_json(metrics.negative_log_likelihood);
  }
  if (metrics.accuracy) json["accuracy"] = *metrics.accuracy;
  if (metrics.balanced_accuracy) json["balanced_accuracy"] = *metrics.balanced_accuracy;
  if (metrics.top5_accuracy) json["top5_accuracy"] = *metrics.top5_accuracy;
  if (metrics.rmse) json["rmse"] = optional_json(metrics.rmse);
  if (metrics.r_squared) json["r_squared"] = optional_json(metrics.r_squared);
  return json;
}

Json history_json(const TrainingSummary& summary) {
  Json history = Json::array();
  for (const EpochRecord& record : summary.history) {
    Json entry = {{"epoch", record.epoch}, {"train_loss", record.train_loss}};
    if (record.train_accuracy) entry["train_accuracy"] = *record.train_accuracy;
    if (record.test) entry["test"] = metrics_json(*record.test);
    if (record.validation) entry["validation"] = metrics_json(*record.validation);
    history.push_back(std::move(entry));
  }
  return history;
}

Json initial_json(const TrainingReport& r) {
  Json layers = Json::array();
  for (const LayerPrior& prior : r.priors) {
    layers.push_back({{"weight_variance", prior.weight_variance}, {"bias_variance", prior.bias_variance}});
  }
  return {{"scheme", r.scheme ? Json(to_string(*r.scheme)) : Json(nullptr)}, {"layers", std::move(layers)}};
}

Json options_json(const TrainOptions& options) {
  const OptimizerOptions& optimizer = options.optimizer;
  Json json = {{"epochs", options.epochs},
               {"batch", options.batch},
               {"loss", to_string(*options.loss)},
               {"label_smoothing", options.label_smoothing},
               {"optimizer", to_string(optimizer.kind)},
               {"learning_rate", *options.learning_rate.base},
               {"learning_rate_decay", to_string(options.learning_rate.decay)},
               {"warmup_epochs", options.learning_rate.warmup_epochs},
               {"weight_decay", optimizer.weight_decay}};
  if (optimizer.kind == OptimizerKind::sgd) {
    json["momentum"] = optimizer.momentum;
    json["nesterov"] = optimizer.nesterov;
  } else {
    json["beta1"] = optimizer.beta1;
    json["beta2"] = optimizer.beta2;
    json["epsilon"] = optimizer.epsilon;
  }
  json["validation_fraction"] = options.validation_fraction;
  if (options.validation_fraction > 0) json["patience"] = options.patience;
  json["seed"] = options.seed;
  return json;
}

Json sentences_json(const TrainingReport& r) {
  Json sentences = Json::array();
  for (const auto& [kind, text] : internal::sentences(r)) sentences.push_back({{"kind", kind}, {"text", text}});
  return sentences;
}

Json answers_json(const TrainingReport& r) {
  Json json = {{"rows", r.answers_of_test ? "test" : "train"}, {"names", r.output_names}};
  if (!r.confusion.empty()) json["confusion"] = r.confusion;
  if (!r.predictions.empty()) {
    Json points = Json::array();
    for (const PredictedValue& value : r.predictions) {
      points.push_back({value.output, optional_json(value.truth), optional_json(value.predicted)});
    }
    json["predictions"] = std::move(points);  // [output, truth, predicted]
  }
  return json;
}

std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : std::string(); }

}  // namespace

std::string to_table(const TrainingReport& r) {
  return internal::assumptions(r) + "\n" + aligned({"lr", result_rows(r)}, 0) + "\n" + internal::events(r) + speed(r);
}

std::string to_markdown(const TrainingReport& r) {
  return paragraphs(internal::assumptions(r)) + markdown({"lr", result_rows(r)}) + "\n" +
         paragraphs(internal::events(r) + speed(r));
}

std::string to_csv(const TrainingReport& r) {
  std::string out =
      "epoch,train_loss,train_accuracy,test_loss,test_accuracy,test_rmse,test_r_squared,test_negative_log_likelihood,"
      "test_balanced_accuracy,test_top5_accuracy,validation_loss,validation_accuracy,validation_rmse\n";
  for (const EpochRecord& record : r.summary.history) {
    const Metrics test = record.test.value_or(Metrics{}), validation = record.validation.value_or(Metrics{});
    const auto loss = [](const std::optional<Metrics>& metrics) {
      return metrics ? csv_number(metrics->loss) : std::string();
    };
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", record.epoch, record.train_loss,
                       csv_number(record.train_accuracy), loss(record.test), csv_number(test.accuracy),
                       csv_number(test.rmse), csv_number(test.r_squared), csv_number(test.negative_log_likelihood),
                       csv_number(test.balanced_accuracy), csv_number(test.top5_accuracy), loss(record.validation),
                       csv_number(validation.accuracy), csv_number(validation.rmse));
  }
  return out;
}

std::string to_json(const TrainingReport& r) {
  Json json;
  json["schema"] = "priorfit.training/1";
  if (!r.command.empty()) {
    json["version"] = version();
    json["command"] = r.command;
  }
  json["data"] = data_json(r.data);
  json["network"] = {{"depth", r.network.depth()},
                     {"hidden_widths", r.network.hidden_widths},
                     {"outputs", r.network_outputs},
                     {"activation", r.network.activation.name()}};
  json["initial"] = initial_json(r);
  json["options"] = options_json(r.options);
  if (r.unfinished.empty()) json["train"] = metrics_json(r.summary.train);
  if (r.summary.validation) json["validation"] = metrics_json(*r.summary.validation);
  if (r.summary.test) json["test"] = metrics_json(*r.summary.test);
  if (r.summary.best_epoch) json["best_epoch"] = *r.summary.best_epoch;
  if (r.summary.best_epoch && r.unfinished.empty()) json["stopped_early"] = r.summary.stopped_early;
  if (r.summary.vanished) {
    json["vanished"] = {{"layer", r.summary.vanished->layer}, {"epoch", r.summary.vanished->epoch}};
  }
  json["sentences"] = sentences_json(r);
  if (r.unfinished.empty()) {
    json["answers"] = answers_json(r);
    json["seconds_per_epoch"] = r.summary.seconds_per_epoch;
    json["resumed_epochs"] = r.summary.resumed_epochs;
    json["sparse_inputs"] = r.summary.sparse;
    json["input_density"] = r.summary.input_density;
  } else {
    json["unfinished"] = r.unfinished;
  }
  json["history"] = history_json(r.summary);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace priorfit
