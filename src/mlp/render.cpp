#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "priorfit/mlp.hpp"

namespace priorfit {
namespace {

using Json = nlohmann::ordered_json;

std::string sizes_text(const TrainingReport& r) {
  std::string hidden = r.network.widths_text();
  if (hidden.find(' ') != std::string::npos) hidden = "(" + hidden + ")";
  return fmt::format("{}-{}-{}", r.data.features, hidden, r.data.outputs);
}

std::string prior_text(const TrainingReport& r) {
  const Initialisation start{.layers = r.priors};
  if (!start.pair() && !start.own_output()) {
    std::string text = r.scheme ? fmt::format("initial parameters by {}, σ_w² =", to_string(*r.scheme))
                                : std::string("initial σ_w² of each layer =");
    for (const LayerPrior& prior : r.priors) text += fmt::format(" {:.4g}", prior.weight_variance);
    const auto has_bias = [](const LayerPrior& prior) { return prior.bias_variance > 0; };
    if (std::any_of(r.priors.begin(), r.priors.end(), has_bias)) {
      text += ", σ_b² =";
      for (const LayerPrior& prior : r.priors) text += fmt::format(" {:.3g}", prior.bias_variance);
    }
    return text;
  }
  const LayerPrior &prior = r.priors.front(), &output = r.priors.back();
  std::string text = fmt::format("initial σ_w² = {:g} (standard deviation {:.4g}/√fan_in), σ_b² = {:g}",
                                 prior.weight_variance, std::sqrt(prior.weight_variance), prior.bias_variance);
  if (output != prior) text += fmt::format(", output layer σ_w² = {:g} without bias", output.weight_variance);
  return r.scheme ? text + fmt::format(" ({})", to_string(*r.scheme)) : text;
}

std::string assumptions(const TrainingReport& r) {
  const DataSummary& data = r.data;
  const std::string share = data.samples == data.rows
                                ? fmt::format("all {} rows", data.rows)
                                : fmt::format("{} of {} rows (seed {})", data.samples, data.rows, data.seed);
  return fmt::format(
      "{}: {}, {} features, {}, preprocess {}; tested on {} rows\n"
      "network: {}, {}; {}\n"
      "Adam: learning rate {:g}, batch {}, {} epochs, seed {}; mean squared error\n",
      data.name, share, data.features, to_string(data.task), to_string(data.preprocess), r.test_samples, sizes_text(r),
      r.network.activation.name(), prior_text(r), r.options.adam.learning_rate, r.options.batch, r.options.epochs,
      r.options.seed);
}

std::string figure(const std::optional<double>& value, double factor, const char* unit) {
  return value ? fmt::format("{:.4g}{}", factor * *value, unit) : std::string("—");
}

// The columns behind "loss": accuracy, or RMSE and R².
std::vector<std::string> quality(const TrainingReport& r, const Metrics& metrics) {
  if (r.data.task == Task::classification) return {figure(metrics.accuracy, 100.0, " %")};
  return {figure(metrics.rmse, 1.0, ""), figure(metrics.r_squared, 1.0, "")};
}

std::vector<std::vector<std::string>> result_rows(const TrainingReport& r) {
  std::vector<std::vector<std::string>> rows = {{"", "samples", "loss"}};
  if (r.data.task == Task::classification) {
    rows[0].push_back("accuracy");
  } else {
    rows[0].insert(rows[0].end(), {"RMSE", "R²"});
  }
  const auto add = [&](const char* name, const Metrics& metrics) {
    std::vector<std::string> row = {name, fmt::format("{}", metrics.samples), fmt::format("{:.4g}", metrics.loss)};
    for (const std::string& text : quality(r, metrics)) row.push_back(text);
    rows.push_back(std::move(row));
  };
  add("train", r.summary.train);
  if (r.summary.test) add("test", *r.summary.test);
  return rows;
}

std::string speed(const TrainingReport& r) {
  const TrainingSummary& s = r.summary;
  std::string text;
  if (s.resumed_epochs > 0)
    text += fmt::format("{} epochs were done before and read from the checkpoint\n", s.resumed_epochs);
  if (s.seconds_per_epoch > 0) {
    text += fmt::format("{:.3g} s an epoch, {:.0f} samples/s\n", s.seconds_per_epoch,
                        static_cast<double>(r.data.samples) / s.seconds_per_epoch);
  }
  return text;
}

Json optional_json(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json metrics_json(const Metrics& metrics) {
  Json json = {{"samples", metrics.samples}, {"loss", optional_json(metrics.loss)}};
  if (metrics.accuracy) json["accuracy"] = *metrics.accuracy;
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

std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : std::string(); }

}  // namespace

std::string to_table(const TrainingReport& r) {
  std::string out = assumptions(r) + "\n";
  for (const std::vector<std::string>& row : result_rows(r)) {
    out += fmt::format("{:<6}", row[0]);
    for (std::size_t i = 1; i < row.size(); ++i) out += fmt::format("{:>12}", row[i]);
    out += "\n";
  }
  return out + "\n" + speed(r);
}

std::string to_markdown(const TrainingReport& r) {
  std::string out = assumptions(r) + "\n";
  const auto rows = result_rows(r);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += "|";
    for (const std::string& text : rows[i]) out += " " + text + " |";
    out += "\n";
    if (i > 0) continue;
    out += "|---|";
    for (std::size_t k = 1; k < rows[0].size(); ++k) out += "---:|";
    out += "\n";
  }
  return out + "\n" + speed(r);
}

std::string to_csv(const TrainingReport& r) {
  std::string out = "epoch,train_loss,train_accuracy,test_loss,test_accuracy,test_rmse,test_r_squared\n";
  for (const EpochRecord& record : r.summary.history) {
    const Metrics test = record.test.value_or(Metrics{});
    out += fmt::format("{},{},{},{},{},{},{}\n", record.epoch, record.train_loss, csv_number(record.train_accuracy),
                       record.test ? csv_number(test.loss) : std::string(), csv_number(test.accuracy),
                       csv_number(test.rmse), csv_number(test.r_squared));
  }
  return out;
}

std::string to_json(const TrainingReport& r) {
  Json json;
  json["schema"] = "priorfit.training/1";
  json["data"] = {{"name", r.data.name},
                  {"rows", r.data.rows},
                  {"features", r.data.features},
                  {"outputs", r.data.outputs},
                  {"task", to_string(r.data.task)},
                  {"preprocess", to_string(r.data.preprocess)},
                  {"samples", r.data.samples},
                  {"seed", r.data.seed},
                  {"notes", r.data.notes}};
  json["network"] = {{"depth", r.network.depth()},
                     {"hidden_widths", r.network.hidden_widths},
                     {"activation", r.network.activation.name()}};
  json["initial"] = initial_json(r);
  json["options"] = {
      {"epochs", r.options.epochs},    {"batch", r.options.batch},      {"learning_rate", r.options.adam.learning_rate},
      {"beta1", r.options.adam.beta1}, {"beta2", r.options.adam.beta2}, {"epsilon", r.options.adam.epsilon},
      {"seed", r.options.seed}};
  json["train"] = metrics_json(r.summary.train);
  if (r.summary.test) json["test"] = metrics_json(*r.summary.test);
  json["seconds_per_epoch"] = r.summary.seconds_per_epoch;
  json["resumed_epochs"] = r.summary.resumed_epochs;
  json["sparse_inputs"] = r.summary.sparse;
  json["input_density"] = r.summary.input_density;
  json["history"] = history_json(r.summary);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace priorfit
