#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "priorfit/dataset.hpp"

namespace priorfit {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_outputs_shown = 30;

std::string class_line(const DatasetDescription::Output& output, Index rows, std::size_t width) {
  const double share = 100.0 * static_cast<double>(output.count) / static_cast<double>(rows);
  return fmt::format("  {:<{}}  {:>8}  {:>5.1f} %\n", output.name, width, output.count, share);
}

std::string value_line(const DatasetDescription::Output& output, std::size_t width) {
  return fmt::format("  {:<{}}  {:g} to {:g}, mean {:g}, standard deviation {:g}\n", output.name, width, output.minimum,
                     output.maximum, output.mean, output.standard_deviation);
}

std::string outputs_table(const DatasetDescription& d) {
  const bool classes = d.task == Task::classification;
  const std::size_t shown = std::min(d.outputs.size(), most_outputs_shown);
  std::size_t width = 0;
  for (std::size_t o = 0; o < shown; ++o) width = std::max(width, d.outputs[o].name.size());
  std::string text = classes ? "classes (training rows)\n" : "targets (training rows)\n";
  for (std::size_t o = 0; o < shown; ++o) {
    text += classes ? class_line(d.outputs[o], d.rows, width) : value_line(d.outputs[o], width);
  }
  if (shown < d.outputs.size()) text += fmt::format("  and {} more\n", d.outputs.size() - shown);
  return text;
}

std::string columns_table(const DatasetDescription& d) {
  constexpr std::size_t most_columns_shown = 60;
  if (d.columns.empty()) return "";
  const std::size_t shown = std::min(d.columns.size(), most_columns_shown);
  std::size_t width = 6;
  for (std::size_t c = 0; c < shown; ++c)
    width = std::max(width, std::min<std::size_t>(d.columns[c].column.name.size(), 30));
  std::string text = fmt::format("written as  {}\n", d.dialect);
  text += fmt::format("{:<{}}  {:<10}  {:>8}  {:>8}  becomes\n", "column", width, "kind", "missing", "distinct");
  for (std::size_t c = 0; c < shown; ++c) {
    const Column& column = d.columns[c].column;
    text += fmt::format("{:<{}}  {:<10}  {:>8}  {:>8}  {}\n", column.name.substr(0, 30), width, to_string(column.kind),
                        column.missing, column.distinct > 0 ? fmt::format("{}", column.distinct) : "",
                        d.columns[c].becomes);
  }
  if (shown < d.columns.size()) text += fmt::format("and {} more\n", d.columns.size() - shown);
  return text;
}

}  // namespace

std::string to_table(const DatasetDescription& d) {
  std::string text = fmt::format("{}: {}\n", d.name, to_string(d.task));
  text +=
      fmt::format("rows        {}{}\n", d.rows, d.test_rows > 0 ? fmt::format(" and {} for testing", d.test_rows) : "");
  text += fmt::format("features    {}", d.features);
  if (d.constant_features > 0) text += fmt::format(", {} of them constant", d.constant_features);
  text += fmt::format("\ninputs      {:g} to {:g}, {:.1f} % not zero", d.input_minimum, d.input_maximum,
                      100.0 * d.nonzero_fraction);
  if (d.pixel_maximum > 0.0) text += fmt::format("; pictures with full intensity {:g}", d.pixel_maximum);
  text += "\n" + columns_table(d) + outputs_table(d);
  for (const std::string& note : d.notes) text += fmt::format("note: {}\n", note);
  return text;
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
  Json columns = Json::array();
  for (const DatasetDescription::ColumnLine& line : d.columns) {
    Json item = {{"name", line.column.name},
                 {"kind", to_string(line.column.kind)},
                 {"missing", line.column.missing},
                 {"distinct", line.column.distinct > 0 ? Json(line.column.distinct) : Json(nullptr)},
                 {"becomes", line.becomes}};
    if (!line.column.levels.empty()) item["levels"] = line.column.levels;
    columns.push_back(std::move(item));
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
    json["columns"] = std::move(columns);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_table(const std::vector<KnownDataset>& known) {
  std::string text;
  for (const KnownDataset& item : known) {
    const std::string where = !item.present         ? fmt::format("not here; scripts/get-data {}", item.name)
                              : item.folder.empty() ? "built in"
                                                    : item.folder.string();
    text += fmt::format("{:<14} {:<44} {}\n", item.name, item.summary, where);
  }
  return text;
}

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
