#include "report/results.hpp"

#include <fmt/format.h>

#include <cmath>

#include "priorfit/error.hpp"
#include "priorfit/version.hpp"
#include "support/file_io.hpp"
#include "support/json_reader.hpp"
#include "support/text.hpp"

namespace priorfit::internal {
namespace {

constexpr std::uint64_t file_limit = std::uint64_t{64} << 20;
constexpr int deepest_nesting = 64;  // a result has 6 levels; the JSON library's writer takes a stack frame for each

struct ResultFile {
  const char* name;
  const char* schema;
  const char* command;
};

constexpr ResultFile result_files[] = {
    {"recommendation.json", "priorfit.recommendation/1", "recommend"},
    {"experiment.json", "priorfit.experiment/1", "experiment"},
    {"prediction.json", "priorfit.prediction/1", "predict"},
    {"training.json", "priorfit.training/1", "train"},
    {"simulation.json", "priorfit.simulation/1", "simulate"},
    {"phase.json", "priorfit.phase/1", "phase"},
};

/// How far a training is that has no result yet.
constexpr ResultFile unfinished_training = {"unfinished.json", "priorfit.training/1", "train"};

Json read_result(const std::filesystem::path& path, const ResultFile& file) {
  Json result = internal::read_json(read_file(path, file_limit), {.deepest = deepest_nesting}, path.string());
  if (!result.is_object()) {
    throw Error(ErrorKind::data, fmt::format("{}: this is not a JSON object", path.string()));
  }
  const auto schema = result.find("schema");
  if (schema == result.end() || !schema->is_string() || *schema != file.schema) {
    throw Error(ErrorKind::data, fmt::format("{}: the schema should be '{}'; 'priorfit {} --out' writes such a file",
                                             path.string(), file.schema, file.command));
  }
  return result;
}

/// Curves are only drawn, so four digits of them will do; hover and tables show no more.
double four_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(value * unit) ? std::round(value * unit) / unit : value;
}

/// Calls `change(cell)` for every trained cell of an experiment.
template <typename Change>
void for_each_cell(Json& result, Change change) {
  if (!result.contains("sizes") || !result["sizes"].is_array()) return;
  for (Json& size : result["sizes"]) {
    if (!size.is_object() || !size.contains("cells") || !size["cells"].is_array()) continue;
    for (Json& cell : size["cells"]) {
      if (cell.is_object()) change(cell);
    }
  }
}

/// Results by epoch of a cell: on the test rows and, of classes, on the training rows.
constexpr const char* curve_names[] = {"curve", "train_curve"};

bool has_history(const Json& result) { return result.contains("history") && result["history"].is_array(); }

/// Numbers of a training's epochs, wherever they lie in the record.
void round_numbers(Json& value) {
  if (value.is_number_float()) {
    value = four_digits(value.get<double>());
  } else if (value.is_structured()) {
    for (Json& element : value) round_numbers(element);
  }
}

void round_curves(Json& result) {
  if (has_history(result)) round_numbers(result["history"]);
  for_each_cell(result, [](Json& cell) {
    if (!cell.contains("accuracy")) cell.erase("train_curve");  // a loss, which no chart shows
    for (const char* name : curve_names) {
      if (!cell.contains(name) || !cell[name].is_array()) continue;
      cell["epochs"] = cell[name].size();
      round_numbers(cell[name]);
    }
  });
}

/// Every second element, the last among them.
Json halved(const Json& list) {
  Json kept = Json::array();
  for (std::size_t i = list.size() % 2 == 0 ? 1 : 0; i < list.size(); i += 2) kept.push_back(list[i]);
  return kept;
}

/// Keeps every second epoch; `stride` epochs then lie between two.
void halve_curves(Json& result, int stride) {
  for_each_cell(result, [](Json& cell) {
    for (const char* name : curve_names) {
      if (cell.contains(name) && cell[name].is_array()) cell[name] = halved(cell[name]);
    }
  });
  if (has_history(result)) result["history"] = halved(result["history"]);
  result["curve_stride"] = stride;
}

std::string script_safe(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {  // in JSON it occurs in strings only, and there this means the same
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::vector<Json> read_results(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    throw Error(ErrorKind::io, fmt::format("{}: {}", folder.string(), error ? error.message() : "not a folder"));
  }
  std::vector<Json> results;
  std::vector<std::string> names;
  for (const ResultFile& file : result_files) {
    names.push_back(file.name);
    if (!std::filesystem::exists(folder / file.name, error)) continue;
    results.push_back(read_result(folder / file.name, file));
  }
  if (results.empty() && std::filesystem::exists(folder / unfinished_training.name, error)) {
    results.push_back(read_result(folder / unfinished_training.name, unfinished_training));
  }
  if (results.empty()) {
    throw Error(ErrorKind::data, fmt::format("{} holds no result ({}); 'priorfit recommend DATA --out {}' makes one",
                                             folder.string(), join(names), shell_quoted(folder.string())));
  }
  return results;
}

std::string embedded_results(std::vector<Json> results, std::size_t limit) {
  for (Json& result : results) round_curves(result);
  for (int halvings = 0; halvings < 12; ++halvings) {
    const Json all = {{"version", version()}, {"results", results}};
    std::string text = script_safe(all.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (text.size() <= limit) return text;
    for (Json& result : results) halve_curves(result, 2 << halvings);
  }
  throw Error(
      ErrorKind::resource,
      fmt::format("the results are too large for a page of {} kB; the files themselves are whole", limit / 1000));
}

}  // namespace priorfit::internal
