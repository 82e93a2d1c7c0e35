#include "data/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "data/dialect.hpp"
#include "priorfit/error.hpp"
#include "support/json_reader.hpp"
#include "support/text_hash.hpp"

namespace priorfit::internal {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 20;  // a line becomes a tree some forty times its size
constexpr std::size_t most_names = 65536;
constexpr int deepest_line = 16;  // whatever is inside the object is refused by name

[[noreturn]] void fail(const std::string& name, std::size_t line, const std::string& problem) {
  throw Error(ErrorKind::data, fmt::format("{}, line {}: {}", name, line, problem));
}

Json read_object(std::string_view record, const std::string& name, std::size_t line) {
  constexpr auto problem = "not a JSON object, as every line of JSON Lines is";
  if (!record.starts_with('{')) fail(name, line, problem);
  try {
    return read_json(record, {.deepest = deepest_line}, problem);
  } catch (const Error& error) {
    fail(name, line, error.what());
  }
}

// Calls `take(object, line)` for every line that is not blank.
template <typename Take>
void each_line(std::string_view text, const std::string& name, const Take& take) {
  std::size_t line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view record = trimmed(text.substr(at, end - at));
    ++line;
    at = end + 1;
    if (record.empty()) continue;
    if (record.size() > longest_line) {
      fail(name, line, fmt::format("{} bytes in one line of JSON; at most {} are read", record.size(), longest_line));
    }
    take(read_object(record, name, line), line);
  }
}

std::string csv_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string field(const Json& value, const std::string& key, const std::string& name, std::size_t line) {
  if (value.is_null()) return "";
  if (value.is_string()) return csv_quoted(value.get_ref<const std::string&>());
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    fail(name, line, fmt::format("'{}' is not a finite number", key));
  }
  if (value.is_number()) return value.dump();
  fail(name, line,
       fmt::format("'{}' holds {}; each field must be a number, a text, a truth value or null", key,
                   value.is_array() ? "an array" : "an object"));
}

}  // namespace

bool is_json_lines(std::string_view text) {
  const std::size_t at = read_prologue(text).length;
  if (at >= text.size() || text[at] != '{') return false;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  if (end - at > longest_line) return true;
  try {
    return read_json(text.substr(at, end - at), {.deepest = deepest_line}, "").is_object();
  } catch (const Error&) {
    return false;
  }
}

std::string json_lines_table(std::string_view text, const std::string& name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t, TextHash> places;
  each_line(text, name, [&](const Json& json, std::size_t line) {
    for (const auto& [key, value] : json.items()) {
      if (places.emplace(key, names.size()).second) names.push_back(key);
      if (names.size() > most_names) {
        fail(name, line, fmt::format("more than {} different names; at most so many columns are read", most_names));
      }
    }
  });
  std::string table;
  for (std::size_t i = 0; i < names.size(); ++i) table += (i > 0 ? "," : "") + csv_quoted(names[i]);
  table += '\n';
  std::vector<std::string> fields(names.size());
  each_line(text, name, [&](const Json& json, std::size_t line) {
    // Sparse objects must not unfold to much more than themselves.
    if (table.size() > 2 * text.size() + (std::size_t{1} << 24)) {
      fail(name, line,
           fmt::format("{} different names in lines that have few of them: too sparse to be a table", names.size()));
    }
    std::fill(fields.begin(), fields.end(), std::string());
    for (const auto& [key, value] : json.items()) fields[places.at(key)] = field(value, key, name, line);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) table += ',';
      table += fields[i];
    }
    table += '\n';
  });
  return table;
}

}  // namespace priorfit::internal
