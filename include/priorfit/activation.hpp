// The nonlinearity, by name: one object serves kernel, gradient and finite network, so the three cannot drift apart.
//
//     Activation::parse("tanh");  Activation::parse("leaky_relu:0.2");
//     Activation::custom("cube", [](double x) { return x * x * x; }, [](double x) { return 3 * x * x; });
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace priorfit {

class Activation {
 public:
  enum class Kind {
    relu,
    leaky_relu,
    abs,
    identity,  // two slopes, one each side of 0
    erf,
    gelu,
    sin,
    cos,  // smooth, dual in closed form
    tanh,
    sigmoid,
    silu,
    elu,
    selu,
    softplus,
    custom  // dual by numerical integration
  };
  using Function = std::function<double(double)>;

  /// relu
  Activation() = default;
  /// `leaky_relu` may carry its slope for x < 0, as in leaky_relu:0.2 (0.01 unless given).
  /// Throws Error(usage) with the nearest known name when `name` is unknown, or when the slope's square is no normal
  /// double.
  static Activation parse(std::string_view name);
  static std::vector<std::string> names();

  /// A function of your own, smooth except perhaps at 0. Without `derivative` it is taken by central differences.
  /// Two custom activations are equal when they are copies of each other.
  static Activation custom(std::string name, Function function, Function derivative = {});

  Kind kind() const { return kind_; }
  std::string name() const;

  double operator()(double x) const;
  double derivative(double x) const;

  /// Linear on either side of 0: φ(x) = x for x >= 0 and negative_slope() · x below.
  bool is_two_slope() const { return kind_ <= Kind::identity; }
  double negative_slope() const { return negative_slope_; }
  /// φ(sx) = s φ(x) for s >= 0, so that variances scale through the network.
  bool is_homogeneous() const { return is_two_slope(); }

  bool operator==(const Activation& other) const;

 private:
  struct Custom {
    std::string name;
    Function function;
    Function derivative;
  };

  Kind kind_ = Kind::relu;
  double negative_slope_ = 0.0;
  std::shared_ptr<const Custom> custom_;
};

}  // namespace priorfit
