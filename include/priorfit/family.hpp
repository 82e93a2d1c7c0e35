// A family of initialisations: a few named variances, and which layers each of them rules.
//
//     Family tied = Family::tied(spec, {0.01, 10}, {0, 4});          // weight_variance, bias_variance
//     Family free = Family::per_layer(spec, {0.01, 10}, {0, 4});     // layer1.weight_variance, … output.bias_variance
//     Initialisation start = tied.at({2.0, 0.0});
//     tied.values_of(start);                                         // {2, 0}; empty for one outside of the family
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/initialisation.hpp"

namespace priorfit {

enum class FamilyKind {
  tied,       // one pair for every layer
  output,     // one pair for the hidden layers, the output layer's own weight variance and no bias there
  per_layer,  // a pair for each layer
};

std::string_view to_string(FamilyKind kind);
FamilyKind parse_family(std::string_view name);  // throws Error(usage) with the nearest match

struct Bounds {
  double lower = 0.0;
  double upper = 0.0;

  bool operator==(const Bounds&) const = default;
};

class Family {
 public:
  enum class Variance { weight, bias };

  /// One variance that all layers from `first_layer` to `last_layer` share.
  struct Coordinate {
    std::string name;
    Variance variance = Variance::weight;
    Index first_layer = 0;
    Index last_layer = 0;
    Bounds bounds = {};
  };

  static Family tied(const NetworkSpec& spec, const Bounds& weights, const Bounds& biases);
  static Family with_output(const NetworkSpec& spec, const Bounds& weights, const Bounds& biases, const Bounds& output);
  static Family per_layer(const NetworkSpec& spec, const Bounds& weights, const Bounds& biases);

  FamilyKind kind() const { return kind_; }
  const std::vector<Coordinate>& coordinates() const { return coordinates_; }
  std::size_t size() const { return coordinates_.size(); }

  /// values: one per coordinate
  Initialisation at(const std::vector<double>& values) const;
  /// Back; empty when `start` is not of this family.
  std::optional<std::vector<double>> values_of(const Initialisation& start) const;
  /// A member near to one that is not: each coordinate the geometric mean of what it rules (of variance + offset).
  std::vector<double> nearest_values(const Initialisation& start) const;

 private:
  Family(FamilyKind kind, Index layers) : kind_(kind), layers_(layers) {}

  FamilyKind kind_;
  Index layers_;  // depth + 1
  std::vector<Coordinate> coordinates_;
};

}  // namespace priorfit
