#include "recommend/starts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "priorfit/error.hpp"
#include "priorfit/signal.hpp"

namespace priorfit {

Initialisation CurrentStart::start(const NetworkSpec& network, Index features, Index outputs) const {
  if (scheme) return Initialisation::named(*scheme, network, features, outputs);
  if (output_weight_variance) return Initialisation::with_output(network, pair, *output_weight_variance);
  return Initialisation::tied(network, pair);
}

void CurrentStart::validate() const {
  if (scheme) return;
  pair.validate();
  if (output_weight_variance) LayerPrior{*output_weight_variance, 0.0}.validate();
}

namespace internal {

double critical_weight_variance(const Activation& activation) {
  if (activation.is_homogeneous()) return 2.0 / (1.0 + activation.negative_slope() * activation.negative_slope());
  const auto point = critical_point(activation, 0.0);
  return point ? point->weight_variance : 1.5;
}

std::string spoken_name(const Initialisation& start) {
  if (!start.scheme) {
    if (const auto pair = start.pair())
      return fmt::format("({:.3g}, {:.3g})", pair->weight_variance, pair->bias_variance);
    if (const auto output = start.own_output()) {
      const LayerPrior& hidden = start.layers.front();
      return fmt::format("({:.3g}, {:.3g}, output {:.3g})", hidden.weight_variance, hidden.bias_variance, *output);
    }
    return to_string(start);
  }
  switch (*start.scheme) {
    case InitialScheme::he: return "He";
    case InitialScheme::lecun: return "LeCun";
    case InitialScheme::glorot: return "Glorot";
    case InitialScheme::keras: return "Keras's default";
    case InitialScheme::pytorch: return "PyTorch's default";
  }
  return to_string(start);
}

std::size_t add_start(Advice& advice, const Candidate& start, const std::string& name) {
  for (std::size_t i = 0; i < advice.starts.size(); ++i) {
    if (advice.starts[i].start == start.start) return i;
  }
  advice.starts.push_back(start);
  advice.names.push_back(name);
  return advice.starts.size() - 1;
}

void list_starts(Advice& advice, const NetworkSpec& network, Index features, Index outputs,
                 const RecommendOptions& options) {
  const auto within = [](double value, const Bounds& bounds) { return bounds.lower <= value && value <= bounds.upper; };
  const auto add = [&](const Initialisation& start) {
    for (std::size_t i = 0; i < start.layers.size(); ++i) {
      // An output layer may be all but silent, and what everybody knows by name is compared with whatever it is.
      const bool any_weight = start.scheme || i + 1 == start.layers.size();
      if (!within(start.layers[i].bias_variance, options.bias_bounds) ||
          (!any_weight && !within(start.layers[i].weight_variance, options.weight_bounds)))
        return;
    }
    add_start(advice, {.start = start}, spoken_name(start));
  };
  const Initialisation in_use = options.current.start(network, features, outputs);
  add_start(advice, {.start = in_use}, spoken_name(in_use));
  for (const InitialScheme scheme :
       {InitialScheme::pytorch, InitialScheme::keras, InitialScheme::lecun, InitialScheme::he}) {
    add(Initialisation::named(scheme, network, features, outputs));
  }
  add(Initialisation::with_output(network, {critical_weight_variance(network.activation), 0.0}, 0.01));
  // Those of the benchmark of choices (docs/choice-quality.md).
  for (const double bias : {0.0, 0.1}) {
    for (const double weight : {0.25, 0.5, 1.0, 1.5, 2.0, 3.0}) add(Initialisation::tied(network, {weight, bias}));
    for (const double output : {0.01, 0.1, 0.001}) {
      for (const double weight : {2.0, 1.5, 1.0, 0.5})
        add(Initialisation::with_output(network, {weight, bias}, output));
    }
  }
  for (const double weight : {0.5, 1.0, 2.0}) add(Initialisation::tied(network, {weight, 1.0}));
}

}  // namespace internal
}  // namespace priorfit
