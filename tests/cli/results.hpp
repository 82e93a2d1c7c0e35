// Results without what may differ between runs: times, memory, threads, the command's own words and
// sentences that name its flags.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace priorfit::cli {

inline nlohmann::json without_circumstances(const nlohmann::json& value) {
  if (value.is_array()) {
    nlohmann::json kept = nlohmann::json::array();
    for (const auto& element : value) kept.push_back(without_circumstances(element));
    return kept;
  }
  if (!value.is_object()) return value;
  nlohmann::json kept = nlohmann::json::object();
  for (const auto& [name, element] : value.items()) {
    if (name == "sentences" || name == "threads" || name == "timing" || name == "memory" || name == "command" ||
        name.find("seconds") != std::string::npos)
      continue;
    kept[name] = without_circumstances(element);
  }
  return kept;
}

inline nlohmann::json comparable(const std::string& json) { return without_circumstances(nlohmann::json::parse(json)); }

}  // namespace priorfit::cli
