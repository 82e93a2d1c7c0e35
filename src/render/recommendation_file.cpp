#include "priorfit/recommendation_file.hpp"

#include <fmt/format.h>

#include <string_view>

#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/json_reader.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr std::uint64_t size_limit = 100'000'000;
constexpr std::string_view schema = "priorfit.recommendation/1";
constexpr Index largest_extent = Index{1} << 40;
constexpr int deepest_kept = 4;  // the sections that are read, their fields, and the layers of one of them

using json = Json;

/// Grids, paths and whatever else stands in the file are passed over, not kept.
bool is_read(std::string_view section) {
  return section == "schema" || section == "recommended" || section == "network" || section == "data";
}

Index extent_from(const json& section, const char* name, Index most) {
  const json& value = section.at(name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 ||
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is {}: it must be a whole number from 1 to {}", name, value.dump(), most));
  }
  return value.get<Index>();
}

Initialisation start_from_layers(const json& best) {
  Initialisation start;
  for (const json& layer : best.at("layers")) {
    start.layers.push_back({layer.at("weight_variance").get<double>(), layer.at("bias_variance").get<double>()});
  }
  if (best.contains("distribution"))
    start.distribution = parse_distribution(best.at("distribution").get<std::string>());
  return start;
}

/// What files held before they listed layers.
Initialisation start_from_pair(const json& best, const NetworkSpec& spec) {
  const LayerPrior pair{best.at("weight_variance").get<double>(), best.at("bias_variance").get<double>()};
  if (!best.contains("output_weight_variance")) return Initialisation::tied(spec, pair);
  return Initialisation::with_output(spec, pair, best.at("output_weight_variance").get<double>());
}

}  // namespace

StoredRecommendation read_recommendation(const std::filesystem::path& path) {
  const std::string text = read_file(path, size_limit);
  const auto fail = [&](const std::string& what) {
    return Error(ErrorKind::data, fmt::format("{}: not a recommendation: {}", path.string(), what));
  };
  StoredRecommendation stored;
  try {
    const json file = internal::read_json(text, {.keeps = is_read, .deepest_kept = deepest_kept},
                                          path.string() + ": not a recommendation");
    if (file.at("schema") != schema) throw fail(fmt::format("schema is {}", file.at("schema").dump()));
    stored.depth = extent_from(file.at("network"), "depth", NetworkSpec::largest_depth);
    stored.activation = Activation::parse(file.at("network").at("activation").get<std::string>());
    stored.features = extent_from(file.at("data"), "features", largest_extent);
    stored.outputs = extent_from(file.at("data"), "outputs", largest_extent);
    const json& best = file.at("recommended");
    const NetworkSpec spec = NetworkSpec::uniform(stored.depth, /*width=*/1, stored.activation);
    stored.start = best.contains("layers") ? start_from_layers(best) : start_from_pair(best, spec);
    stored.start.validate(spec);
    if (best.contains("noise_variance")) stored.noise_variance = best.at("noise_variance").get<double>();
  } catch (const json::exception& error) {
    throw fail(internal::json_problem(error));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::data) throw;
    throw fail(error.what());
  }
  return stored;
}

}  // namespace priorfit
