// The nonlinearity, by name: one object serves kernel, gradient and finite network, so the three cannot drift apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace priorfit {

class Activation {
 public:
  enum class Kind { relu };

  /// Throws Error(usage) with the nearest known name when `name` is unknown.
  static Activation parse(std::string_view name);
  static std::vector<std::string> names();

  Kind kind() const { return kind_; }
  /// φ(sx) = s φ(x) for s >= 0, so that variances scale through the network.
  bool is_homogeneous() const { return kind_ == Kind::relu; }
  std::string name() const;

  bool operator==(const Activation&) const = default;

 private:
  Kind kind_ = Kind::relu;
};

}  // namespace priorfit
