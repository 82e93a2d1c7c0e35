#include <fmt/format.h>

#include <algorithm>

#include "data/summary.hpp"
#include "priorfit/dataset.hpp"
#include "support/json.hpp"
#include "support/word_table.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr std::size_t most_outputs_shown = 30, most_columns_shown = 60;

WordTable outputs_table(const DatasetDescription& d) {
  const bool classes = d.task == Task::classification;
  WordTable table{.alignment = "lr", .rows = {{"target", "least", "largest", "mean", "standard deviation"}}};
  if (classes) table.rows = {{"class", "training rows", "share"}};
  for (std::size_t o = 0; o < std::min(d.outputs.size(), most_outputs_shown); ++o) {
    const DatasetDescription::Output& output = d.outputs[o];
    if (classes) {
      const double share = 100.0 * static_cast<double>(output.count) / static_cast<double>(d.rows);
      table.rows.push_back({output.name, fmt::format("{}", output.count), fmt::format("{:.1f} %", share)});
    } else {
      table.rows.push_back({output.name, fmt::format("{:g}", output.minimum), fmt::format("{:g}", output.maximum),
                            fmt::format("{:g}", output.mean), fmt::format("{:g}", output.standard_deviation)});
    }
  }
  return table;
}

WordTable columns_table(const DatasetDescription& d) {
  WordTable table{.alignment = "llrrl", .rows = {{"column", "kind", "missing", "distinct", "becomes"}}};
  for (std::size_t c = 0; c < std::min(d.columns.size(), most_columns_shown); ++c) {
    const ColumnLine& column = d.columns[c];
    table.rows.push_back({column.name, std::string(to_string(column.kind)), fmt::format("{}", column.missing),
                          column.distinct > 0 ? fmt::format("{}", column.distinct) : "", column.becomes});
  }
  return table;
}

WordTable facts_table(const DatasetDescription& d) {
  WordTable table{.alignment = "l", .rows = {{"data", d.name}}};
  const auto add = [&](const char* name, std::string text) { table.rows.push_back({name, std::move(text)}); };
  add("task", std::string(to_string(d.task)));
  add("rows", fmt::format("{}{}", d.rows, d.test_rows > 0 ? fmt::format(" and {} for testing", d.test_rows) : ""));
  add("features",
      fmt::format("{}{}", d.features,
                  d.constant_features > 0 ? fmt::format(", {} of them constant", d.constant_features) : ""));
  add("inputs",
      fmt::format("{:g} to {:g}, {:.1f} % not zero{}", d.input_minimum, d.input_maximum, 100.0 * d.nonzero_fraction,
                  d.pixel_maximum > 0.0 ? fmt::format("; pictures with full intensity {:g}", d.pixel_maximum) : ""));
  if (!d.columns.empty()) add("written as", d.dialect);
  return table;
}

/// `render` makes text of a table, `line` of a sentence.
template <typename Render, typename Line>
std::string description_text(const DatasetDescription& d, Render render, Line line) {
  std::string text = render(facts_table(d));
  if (!d.columns.empty()) {
    text += render(columns_table(d));
    if (d.columns.size() > most_columns_shown)
      text += line(fmt::format("and {} more", d.columns.size() - most_columns_shown));
  }
  text += render(outputs_table(d));
  if (d.outputs.size() > most_outputs_shown)
    text += line(fmt::format("and {} more", d.outputs.size() - most_outputs_shown));
  for (const std::string& note : d.notes) text += line("note: " + note);
  return text;
}

WordTable known_table(const std::vector<KnownDataset>& known) {
  WordTable table{.alignment = "l", .rows = {{"name", "what it is", "where"}}};
  for (const KnownDataset& item : known) {
    table.rows.push_back({item.name, item.summary,
                          !item.present         ? fmt::format("not here; scripts/get-data {}", item.name)
                          : item.folder.empty() ? std::string("built in")
                                                : item.folder.string()});
  }
  return table;
}

}  // namespace

std::string to_table(const DatasetDescription& d) {
  return description_text(
      d, [](const WordTable& table) { return aligned(table, 0) + "\n"; },
      [](const std::string& text) { return text + "\n"; });
}

std::string to_markdown(const DatasetDescription& d) {
  return description_text(
      d, [](const WordTable& table) { return markdown(table) + "\n"; },
      [](const std::string& text) { return text + "\n\n"; });
}

std::string to_json(const DatasetDescription& d) {
  Json outputs = Json::array();
  for (const DatasetDescription::Output& output : d.outputs) {
    Json item = {{"name", output.name}};
    if (d.task == Task::classification) {
      item["count"] = output.count;
    } else {
      item["minimum"] = output.minimum;
      item["maximum"] = output.maximum;
      item["mean"] = output.mean;
      item["standard_deviation"] = output.standard_deviation;
    }
    outputs.push_back(std::move(item));
  }
  Json json = {{"schema", "priorfit.dataset/1"},
               {"name", d.name},
               {"task", to_string(d.task)},
               {"rows", d.rows},
               {"test_rows", d.test_rows},
               {"features", d.features},
               {"constant_features", d.constant_features},
               {"pixel_maximum", d.pixel_maximum > 0.0 ? Json(d.pixel_maximum) : Json(nullptr)},
               {"inputs",
                {{"minimum", d.input_minimum}, {"maximum", d.input_maximum}, {"nonzero_fraction", d.nonzero_fraction}}},
               {d.task == Task::classification ? "classes" : "targets", std::move(outputs)},
               {"notes", d.notes}};
  if (!d.columns.empty()) {
    json["dialect"] = d.dialect;
    json["columns"] = internal::columns_json(d.columns);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_table(const std::vector<KnownDataset>& known) { return aligned(known_table(known), 0); }
std::string to_markdown(const std::vector<KnownDataset>& known) { return markdown(known_table(known)); }

std::string to_json(const std::vector<KnownDataset>& known) {
  Json items = Json::array();
  for (const KnownDataset& item : known) {
    items.push_back({{"name", item.name},
                     {"summary", item.summary},
                     {"present", item.present},
                     {"folder", item.folder.empty() ? Json(nullptr) : Json(item.folder.string())}});
  }
  const Json json = {{"schema", "priorfit.datasets/1"}, {"datasets", std::move(items)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace priorfit
