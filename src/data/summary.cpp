#include "data/summary.hpp"

#include <fmt/format.h>

#include "data/preparation_json.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {

std::string data_sentence(const DataSummary& data) {
  const std::string share = data.samples == data.rows
                                ? fmt::format("all {} rows", data.rows)
                                : fmt::format("{} of {} rows (seed {})", data.samples, data.rows, data.seed);
  return fmt::format("{}: {}, {} features, {}, {} output{}, preprocess {}", data.name, share, data.features,
                     to_string(data.task), data.outputs, data.outputs == 1 ? "" : "s", to_string(data.preprocess));
}

Json columns_json(const std::vector<ColumnLine>& columns) {
  Json list = Json::array();
  for (const ColumnLine& column : columns) {
    Json item = {{"name", column.name},
                 {"kind", to_string(column.kind)},
                 {"missing", column.missing},
                 {"distinct", column.distinct > 0 ? Json(column.distinct) : Json(nullptr)},
                 {"becomes", column.becomes}};
    if (!column.levels.empty()) item["levels"] = column.levels;
    list.push_back(std::move(item));
  }
  return list;
}

Json data_json(const DataSummary& data) {
  Json json = {{"name", data.name},
               {"rows", data.rows},
               {"features", data.features},
               {"outputs", data.outputs},
               {"task", to_string(data.task)},
               {"preprocess", to_string(data.preprocess)},
               {"samples", data.samples},
               {"seed", data.seed},
               {"notes", data.notes}};
  if (!data.columns.empty()) {
    json["dialect"] = data.dialect;
    json["columns"] = internal::columns_json(data.columns);
  }
  json["preparation"] = preparation_json(data.preparation);
  return json;
}

DataSummary data_from(const Json& json, const std::string& source) {
  DataSummary data;
  data.name = json.at("name").get<std::string>();
  data.rows = count_from(json.at("rows"));
  data.features = count_from(json.at("features"));
  data.outputs = count_from(json.at("outputs"));
  data.samples = count_from(json.at("samples"));
  data.task = parse_task(json.at("task").get<std::string>());
  data.preprocess = parse_preprocess(json.at("preprocess").get<std::string>());
  if (!json.at("seed").is_number_integer()) throw Error(ErrorKind::data, "its seed is no whole number");
  data.seed = json.at("seed").get<std::uint64_t>();
  data.notes = json.at("notes").get<std::vector<std::string>>();
  if (json.contains("columns")) {
    data.dialect = json.at("dialect").get<std::string>();
    for (const Json& item : json.at("columns")) {
      ColumnLine column;
      column.name = item.at("name").get<std::string>();
      column.kind = parse_column_kind(item.at("kind").get<std::string>());
      column.missing = count_from(item.at("missing"));
      if (!item.at("distinct").is_null()) column.distinct = count_from(item.at("distinct"));
      if (item.contains("levels")) column.levels = item.at("levels").get<std::vector<std::string>>();
      column.becomes = item.at("becomes").get<std::string>();
      data.columns.push_back(std::move(column));
    }
  }
  if (json.contains("preparation")) data.preparation = preparation_from(json.at("preparation"), source);
  return data;
}

}  // namespace priorfit::internal
