#include "priorfit/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/bias_offset.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr FamilyKind all_kinds[] = {FamilyKind::tied, FamilyKind::output, FamilyKind::per_layer};

double& variance_of(LayerPrior& layer, Family::Variance variance) {
  return variance == Family::Variance::weight ? layer.weight_variance : layer.bias_variance;
}

}  // namespace

std::string_view to_string(FamilyKind kind) {
  switch (kind) {
    case FamilyKind::tied: return "tied";
    case FamilyKind::output: return "output";
    case FamilyKind::per_layer: return "per-layer";
  }
  return "";
}

FamilyKind parse_family(std::string_view name) {
  std::vector<std::string> names;
  for (const FamilyKind kind : all_kinds) {
    if (name == to_string(kind)) return kind;
    names.emplace_back(to_string(kind));
  }
  throw Error(ErrorKind::usage,
              fmt::format("family '{}' is unknown{} (known: {})", name, suggestion(name, names), join(names)));
}

Family Family::tied(const NetworkSpec& spec, const Bounds& weights, const Bounds& biases) {
  Family family(FamilyKind::tied, spec.depth() + 1);
  family.coordinates_ = {{"weight_variance", Variance::weight, 0, spec.depth(), weights},
                         {"bias_variance", Variance::bias, 0, spec.depth(), biases}};
  return family;
}

Family Family::with_output(const NetworkSpec& spec, const Bounds& weights, const Bounds& biases, const Bounds& output) {
  Family family(FamilyKind::output, spec.depth() + 1);
  family.coordinates_ = {{"weight_variance", Variance::weight, 0, spec.depth() - 1, weights},
                         {"bias_variance", Variance::bias, 0, spec.depth() - 1, biases},
                         {"output_weight_variance", Variance::weight, spec.depth(), spec.depth(), output}};
  return family;
}

Family Family::per_layer(const NetworkSpec& spec, const Bounds& weights, const Bounds& biases) {
  Family family(FamilyKind::per_layer, spec.depth() + 1);
  for (Index l = 0; l <= spec.depth(); ++l) {
    const std::string layer = l < spec.depth() ? fmt::format("layer{}", l + 1) : std::string("output");
    family.coordinates_.push_back({layer + ".weight_variance", Variance::weight, l, l, weights});
    family.coordinates_.push_back({layer + ".bias_variance", Variance::bias, l, l, biases});
  }
  return family;
}

Initialisation Family::at(const std::vector<double>& values) const {
  if (values.size() != size()) {
    throw Error(ErrorKind::usage, fmt::format("values has {} entries: the family has {}", values.size(), size()));
  }
  Initialisation start{.layers = std::vector<LayerPrior>(static_cast<std::size_t>(layers_), LayerPrior{1.0, 0.0})};
  for (std::size_t k = 0; k < size(); ++k) {
    const Coordinate& coordinate = coordinates_[k];
    for (Index l = coordinate.first_layer; l <= coordinate.last_layer; ++l) {
      variance_of(start.layers[static_cast<std::size_t>(l)], coordinate.variance) = values[k];
    }
  }
  return start;
}

std::vector<double> Family::nearest_values(const Initialisation& start) const {
  std::vector<double> values;
  for (const Coordinate& coordinate : coordinates_) {
    const double offset = coordinate.variance == Variance::bias ? bias_offset : 0.0;
    double logarithms = 0.0;
    bool equal = true;
    const auto value_at = [&](Index l) {
      LayerPrior layer = start.layers.at(static_cast<std::size_t>(l));
      return variance_of(layer, coordinate.variance);
    };
    for (Index l = coordinate.first_layer; l <= coordinate.last_layer; ++l) {
      equal = equal && value_at(l) == value_at(coordinate.first_layer);
      logarithms += std::log(value_at(l) + offset);
    }
    const auto count = static_cast<double>(coordinate.last_layer - coordinate.first_layer + 1);
    values.push_back(equal ? value_at(coordinate.first_layer) : std::max(0.0, std::exp(logarithms / count) - offset));
  }
  return values;
}

std::optional<std::vector<double>> Family::values_of(const Initialisation& start) const {
  if (static_cast<Index>(start.layers.size()) != layers_) return std::nullopt;
  std::vector<double> values = nearest_values(start);
  if (at(values).layers != start.layers) return std::nullopt;
  return values;
}

}  // namespace priorfit
