#include "data/preparation_json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/json_reader.hpp"

namespace priorfit::internal {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 26;
constexpr const char* schema = "priorfit.preparation/1";

Json numbers(const Vector& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

Vector vector_of(const Json& json) {
  const auto values = json.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

template <typename Value>
Value parse(const std::string& name, std::initializer_list<Value> values) {
  for (const Value value : values) {
    if (to_string(value) == name) return value;
  }
  throw Error(ErrorKind::data, fmt::format("'{}' is not known", name));
}

std::string one_character(char c) { return {c}; }

Json dialect_json(const TableDialect& dialect) {
  return {{"separator", one_character(dialect.separator)},
          {"quote", one_character(dialect.quote)},
          {"decimal", one_character(dialect.decimal)},
          {"missing", dialect.missing}};
}

TableDialect dialect_from(const Json& json, bool header) {
  TableDialect dialect;
  const auto character = [&](const char* name) {
    const std::string text = json.at(name).get<std::string>();
    if (text.size() != 1) throw Error(ErrorKind::data, fmt::format("'{}' is not one character", name));
    return text[0];
  };
  dialect.separator = character("separator");
  dialect.quote = character("quote");
  dialect.decimal = character("decimal");
  dialect.missing = json.at("missing").get<std::string>();
  dialect.header = header;
  return dialect;
}

Json column_json(const ColumnRecipe& column) {
  Json json = {{"name", column.name}, {"position", column.position}, {"kind", to_string(column.kind)}};
  if (!column.levels.empty()) json["levels"] = column.levels;
  if (column.kind == ColumnKind::category) {
    json["other"] = column.other;
    json["missing_level"] = column.missing_level;
  } else {
    json["fill"] = column.fill;
    json["indicator"] = column.indicator;
    if (column.dressed) json["dressed"] = true;
  }
  if (column.kind == ColumnKind::date) json["order"] = to_string(column.date_order);
  json["features"] = column.feature_names();
  return json;
}

ColumnRecipe column_from(const Json& json) {
  ColumnRecipe column;
  column.name = json.at("name").get<std::string>();
  column.position = count_from(json.at("position"));
  column.kind = parse_column_kind(json.at("kind").get<std::string>());
  if (json.contains("levels")) column.levels = json.at("levels").get<std::vector<std::string>>();
  if (column.kind == ColumnKind::category) {
    column.other = json.at("other").get<bool>();
    column.missing_level = json.at("missing_level").get<bool>();
  } else {
    column.fill = json.at("fill").get<double>();
    column.indicator = json.at("indicator").get<bool>();
    column.dressed = json.value("dressed", false);
  }
  if (column.kind == ColumnKind::date) {
    column.date_order = parse(json.at("order").get<std::string>(),
                              {DateOrder::year_first, DateOrder::day_first, DateOrder::month_first});
  }
  return column;
}

const Json* find_preparation(const Json& json) {
  if (!json.is_object()) return nullptr;
  if (json.contains("schema") && json.at("schema") == schema) return &json;
  if (json.contains("preparation")) return find_preparation(json.at("preparation"));
  if (json.contains("data")) return find_preparation(json.at("data"));
  return nullptr;
}

void check_lengths(const Preparation& p, const std::string& source) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::data, fmt::format("{}: its preparation {}", source, problem));
  };
  if (p.input_shift.size() != p.input_scale.size()) fail("has shifts and scales of different number");
  if (p.target_shift.size() != p.target_scale.size()) fail("has shifts and scales of targets of different number");
  if (p.from_table && p.columns.empty()) fail("has no columns");
  if (p.from_table && p.input_shift.size() > 0 && p.input_shift.size() != Index(p.feature_names().size())) {
    fail(fmt::format("has {} shifts for {} features", p.input_shift.size(), p.feature_names().size()));
  }
  if (!p.input_scale.allFinite() || (p.input_scale.array() == 0.0).any()) fail("has a scale that is 0");
}

}  // namespace

ColumnKind parse_column_kind(const std::string& name) {
  return parse(name, {ColumnKind::number, ColumnKind::boolean, ColumnKind::category, ColumnKind::date, ColumnKind::text,
                      ColumnKind::identifier, ColumnKind::index, ColumnKind::constant});
}

Json preparation_json(const Preparation& p) {
  Json json = {{"schema", schema}, {"task", to_string(p.task)}, {"from_table", p.from_table}};
  if (p.from_table) {
    json["header"] = p.header;
    json["dialect"] = dialect_json(p.dialect);
    Json columns = Json::array();
    for (const ColumnRecipe& column : p.columns) columns.push_back(column_json(column));
    json["columns"] = std::move(columns);
    json["target_position"] = p.target_position;
    if (p.target_is_date) json["target_is_date"] = true;
  }
  json["target"] = p.target;
  json["outputs"] = p.outputs;
  json["preprocess"] = to_string(p.preprocess);
  if (p.pixel_maximum > 0.0) json["pixel_maximum"] = p.pixel_maximum;
  if (p.pictures.values() > 0) {
    json["pictures"] = {{"width", p.pictures.width}, {"height", p.pictures.height}, {"channels", p.pictures.channels}};
  }
  json["input_shift"] = numbers(p.input_shift);
  json["input_scale"] = numbers(p.input_scale);
  json["target_shift"] = numbers(p.target_shift);
  json["target_scale"] = numbers(p.target_scale);
  json["rows"] = p.rows;
  return json;
}

Preparation preparation_from(const Json& json, const std::string& source) {
  try {
    Preparation p;
    p.task = parse(json.at("task").get<std::string>(), {Task::classification, Task::regression});
    p.from_table = json.at("from_table").get<bool>();
    if (p.from_table) {
      p.header = json.at("header").get<bool>();
      if (json.contains("dialect")) p.dialect = dialect_from(json.at("dialect"), p.header);
      for (const Json& column : json.at("columns")) p.columns.push_back(column_from(column));
      p.target_position = count_from(json.at("target_position"));
      p.target_is_date = json.value("target_is_date", false);
    }
    p.target = json.at("target").get<std::string>();
    p.outputs = json.at("outputs").get<std::vector<std::string>>();
    p.preprocess = parse(json.at("preprocess").get<std::string>(),
                         {Preprocess::unit, Preprocess::standardize, Preprocess::center, Preprocess::none});
    if (json.contains("pixel_maximum")) p.pixel_maximum = json.at("pixel_maximum").get<double>();
    if (json.contains("pictures")) {
      const Json& pictures = json.at("pictures");
      p.pictures = {count_from(pictures.at("width")), count_from(pictures.at("height")),
                    count_from(pictures.at("channels"))};
    }
    p.input_shift = vector_of(json.at("input_shift"));
    p.input_scale = vector_of(json.at("input_scale"));
    p.target_shift = vector_of(json.at("target_shift"));
    p.target_scale = vector_of(json.at("target_scale"));
    p.rows = count_from(json.at("rows"));
    check_lengths(p, source);
    return p;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::data, fmt::format("{}: its preparation cannot be read: {}", source, json_problem(error)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data || std::string_view(error.what()).starts_with(source)) throw;
    throw Error(ErrorKind::data, fmt::format("{}: its preparation cannot be read: {}", source, error.what()));
  }
}

}  // namespace priorfit::internal

namespace priorfit {
using namespace internal;

std::string to_json(const Preparation& preparation) { return json_text(preparation_json(preparation)); }

std::filesystem::path preparation_file(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return path;
  for (const char* name : {"recommendation.json", "training.json", "prediction.json", "experiment.json"}) {
    if (std::filesystem::exists(path / name)) return path / name;
  }
  return path;
}

Preparation read_preparation(const std::filesystem::path& path) {
  const std::filesystem::path file = preparation_file(path);
  if (!std::filesystem::is_regular_file(file)) {
    throw Error(ErrorKind::io, fmt::format("there is no result in '{}'", path.string()));
  }
  const Json json = read_json(read_file(file, largest_file), {}, file.string());
  const Json* found = find_preparation(json);
  if (found == nullptr) {
    throw Error(ErrorKind::data, fmt::format("{}: holds no preparation; results of this version do", file.string()));
  }
  return preparation_from(*found, file.string());
}

}  // namespace priorfit
