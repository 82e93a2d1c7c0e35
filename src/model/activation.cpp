#include "priorfit/activation.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

using Kind = Activation::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 14> known = {{{"relu", Kind::relu},
                                                                      {"leaky_relu", Kind::leaky_relu},
                                                                      {"abs", Kind::abs},
                                                                      {"identity", Kind::identity},
                                                                      {"erf", Kind::erf},
                                                                      {"gelu", Kind::gelu},
                                                                      {"sin", Kind::sin},
                                                                      {"cos", Kind::cos},
                                                                      {"tanh", Kind::tanh},
                                                                      {"sigmoid", Kind::sigmoid},
                                                                      {"silu", Kind::silu},
                                                                      {"elu", Kind::elu},
                                                                      {"selu", Kind::selu},
                                                                      {"softplus", Kind::softplus}}};

// Klambauer et al. (2017): the fixed point of mean 0 and variance 1.
constexpr double selu_scale = 1.0507009873554804934193349852946;
constexpr double selu_alpha = 1.6732632423543772848170429916717;

/// Variances are multiplied by the slope's square, which has to be a number to go on with.
double parse_slope(std::string_view activation, std::string_view text) {
  double slope = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), slope);
  if (problem == std::errc::invalid_argument || end != text.data() + text.size() || std::isnan(slope)) {
    throw Error(ErrorKind::usage, fmt::format("activation '{}': the slope '{}' is not a number", activation, text));
  }
  if (problem != std::errc() || (slope != 0 && !std::isnormal(slope * slope))) {
    throw Error(ErrorKind::usage,
                fmt::format("activation '{}': the slope must be 0 or of a size from 1.5e-154 to 1.3e+154", activation));
  }
  return slope;
}

double slope_below_zero(Kind kind) {
  switch (kind) {
    case Kind::leaky_relu: return 0.01;
    case Kind::abs: return -1.0;
    case Kind::identity: return 1.0;
    default: return 0.0;
  }
}

double logistic(double x) {
  if (x >= 0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

double gaussian_density(double x) { return std::exp(-0.5 * x * x) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2); }

double gaussian_distribution(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

}  // namespace

Activation Activation::parse(std::string_view name) {
  const std::string_view given = name.substr(0, name.find(':'));
  const std::string word = usual_name(given, {{"swish", "silu"},
                                              {"linear", "identity"},
                                              {"none", "identity"},
                                              {"leakyrelu", "leaky_relu"},
                                              {"lrelu", "leaky_relu"},
                                              {"sine", "sin"},
                                              {"cosine", "cos"},
                                              {"logistic", "sigmoid"}});
  for (const auto& [known_name, kind] : known) {
    if (word != known_name) continue;
    Activation activation;
    activation.kind_ = kind;
    activation.negative_slope_ = slope_below_zero(kind);
    if (given.size() == name.size()) return activation;
    if (kind != Kind::leaky_relu) {
      throw Error(
          ErrorKind::usage,
          fmt::format("activation '{}': only leaky_relu takes a number, its slope below 0, as in leaky_relu:0.2",
                      name));
    }
    activation.negative_slope_ = parse_slope(name, name.substr(given.size() + 1));
    return activation;
  }
  throw Error(ErrorKind::usage,
              fmt::format("activation '{}' is unknown{} (known: {})", name, suggestion(word, names()), join(names())));
}

std::vector<std::string> Activation::names() {
  std::vector<std::string> all;
  for (const auto& entry : known) all.emplace_back(entry.first);
  return all;
}

Activation Activation::custom(std::string name, Function function, Function derivative) {
  if (!function) throw Error(ErrorKind::usage, fmt::format("activation '{}' has no function", name));
  if (!derivative) {
    derivative = [function](double x) {
      const double h = 6e-6 * std::max(1.0, std::abs(x));  // the cube root of the rounding error
      if (std::abs(x) > h) return (function(x + h) - function(x - h)) / (2 * h);
      // Next to 0, where there may be a kink, from one side only.
      const double away = x < 0 ? -h : h;
      return (4 * function(x + away) - 3 * function(x) - function(x + 2 * away)) / (2 * away);
    };
  }
  Activation activation;
  activation.kind_ = Kind::custom;
  activation.custom_ = std::make_shared<const Custom>(
      Custom{.name = std::move(name), .function = std::move(function), .derivative = std::move(derivative)});
  return activation;
}

std::string Activation::name() const {
  if (kind_ == Kind::custom) return custom_->name;
  for (const auto& [name, kind] : known) {
    if (kind != kind_) continue;
    if (kind == Kind::leaky_relu && negative_slope_ != slope_below_zero(kind)) {
      return fmt::format("{}:{}", name, negative_slope_);
    }
    return std::string(name);
  }
  return {};
}

double Activation::operator()(double x) const {
  switch (kind_) {
    case Kind::relu:
    case Kind::leaky_relu:
    case Kind::abs:
    case Kind::identity: return x > 0 ? x : negative_slope_ * x;
    case Kind::erf: return std::erf(x);
    case Kind::gelu: return x * gaussian_distribution(x);
    case Kind::sin: return std::sin(x);
    case Kind::cos: return std::cos(x);
    case Kind::tanh: return std::tanh(x);
    case Kind::sigmoid: return logistic(x);
    case Kind::silu: return x * logistic(x);
    case Kind::elu: return x > 0 ? x : std::expm1(x);
    case Kind::selu: return selu_scale * (x > 0 ? x : selu_alpha * std::expm1(x));
    case Kind::softplus: return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
    case Kind::custom: return custom_->function(x);
  }
  return std::nan("");
}

double Activation::derivative(double x) const {
  switch (kind_) {
    case Kind::relu:
    case Kind::leaky_relu:
    case Kind::abs:
    case Kind::identity: return x > 0 ? 1.0 : negative_slope_;
    case Kind::erf: return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    case Kind::gelu: return gaussian_distribution(x) + x * gaussian_density(x);
    case Kind::sin: return std::cos(x);
    case Kind::cos: return -std::sin(x);
    case Kind::tanh: {
      const double t = std::tanh(x);
      return (1 - t) * (1 + t);
    }
    case Kind::sigmoid: return logistic(x) * logistic(-x);
    case Kind::silu: return logistic(x) * (1 + x * logistic(-x));
    case Kind::elu: return x > 0 ? 1.0 : std::exp(x);
    case Kind::selu: return selu_scale * (x > 0 ? 1.0 : selu_alpha * std::exp(x));
    case Kind::softplus: return logistic(x);
    case Kind::custom: return custom_->derivative(x);
  }
  return std::nan("");
}

bool Activation::operator==(const Activation& other) const {
  return kind_ == other.kind_ && negative_slope_ == other.negative_slope_ && custom_ == other.custom_;
}

}  // namespace priorfit
