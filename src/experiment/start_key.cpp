#include "experiment/start_key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>
#include <sstream>

#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& why) {
  throw Error(ErrorKind::data, fmt::format("'{}' names no initialisation that this version knows: {}", key, why));
}

double number(const std::string& key, std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(key, fmt::format("'{}' is no number", text));
  return value;
}

/// "2:0,1:0.5"
std::vector<LayerPrior> parse_layers(const std::string& key, const std::string& text) {
  std::vector<LayerPrior> layers;
  std::istringstream entries(text);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t colon = entry.find(':');
    if (colon == std::string::npos) refuse(key, fmt::format("'{}' is no pair", entry));
    const std::string_view view = entry;
    layers.push_back({number(key, view.substr(0, colon)), number(key, view.substr(colon + 1))});
  }
  return layers;
}

/// "a=1 b=2"
std::map<std::string, std::string> parse_words(const std::string& key) {
  std::map<std::string, std::string> values;
  std::istringstream words(key);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) refuse(key, fmt::format("'{}' has no value", word));
    values[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return values;
}

std::optional<LayerPrior> pair_of(const std::string& key, const std::map<std::string, std::string>& words) {
  const auto weight = words.find("weight_variance"), bias = words.find("bias_variance");
  if (weight == words.end() || bias == words.end()) return std::nullopt;
  return LayerPrior{number(key, weight->second), number(key, bias->second)};
}

Initialisation from_words(const std::string& key, std::map<std::string, std::string>& words,
                          const NetworkShape& shape) {
  const auto take = [&](const char* name) {
    const auto found = words.extract(name);
    return found.empty() ? std::optional<std::string>() : std::optional(found.mapped());
  };
  if (const auto scheme = take("scheme")) {
    return Initialisation::named(parse_initial_scheme(*scheme), shape.network, shape.features, shape.outputs);
  }
  if (const auto layers = take("layers")) return {.layers = parse_layers(key, *layers)};
  const std::optional<LayerPrior> pair = pair_of(key, words);
  if (!pair) refuse(key, "it has no variances");
  words.erase("weight_variance");
  words.erase("bias_variance");
  const auto output = take("output_weight_variance");
  return output ? Initialisation::with_output(shape.network, *pair, number(key, *output))
                : Initialisation::tied(shape.network, *pair);
}

}  // namespace

std::optional<InitialScheme> own_scheme(const Initialisation& start) {
  const bool is_pair = start.scheme == InitialScheme::he || start.scheme == InitialScheme::lecun;
  return is_pair ? std::nullopt : start.scheme;
}

std::string start_name(const Initialisation& start) {
  const std::optional<InitialScheme> scheme = own_scheme(start);
  return scheme ? std::string(to_string(*scheme)) : to_string(start);
}

bool same_start(const Initialisation& a, const Initialisation& b) { return a == b && own_scheme(a) == own_scheme(b); }

std::string start_key(const Initialisation& start) {
  if (const auto scheme = own_scheme(start)) return fmt::format("scheme={}", to_string(*scheme));
  const std::optional<double> output = start.own_output();
  std::string key;
  if (start.pair() || output) {
    const LayerPrior& hidden = start.layers.front();
    key = fmt::format("weight_variance={} bias_variance={}", hidden.weight_variance, hidden.bias_variance);
    if (output) key += fmt::format(" output_weight_variance={}", *output);
  } else {
    std::vector<std::string> layers;
    for (const LayerPrior& layer : start.layers) {
      layers.push_back(fmt::format("{}:{}", layer.weight_variance, layer.bias_variance));
    }
    key = fmt::format("layers={}", fmt::join(layers, ","));
  }
  if (start.distribution == Distribution::uniform) key += " distribution=uniform";
  return key;
}

std::optional<LayerPrior> pair_in_key(const std::string& key) { return pair_of(key, parse_words(key)); }

Initialisation parse_start_key(const std::string& key, const NetworkShape& shape) {
  try {
    std::map<std::string, std::string> words = parse_words(key);
    Initialisation start = from_words(key, words, shape);
    if (const auto distribution = words.extract("distribution"); !distribution.empty()) {
      start.distribution = parse_distribution(distribution.mapped());
    }
    if (!words.empty()) refuse(key, fmt::format("{} is unknown", words.begin()->first));
    start.validate(shape.network);
    return start;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::data) throw;
    refuse(key, error.what());
  }
}

}  // namespace priorfit::internal
