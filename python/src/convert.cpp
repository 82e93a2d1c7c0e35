#include "convert.hpp"

#include <fmt/format.h>

#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit::python {

NetworkSpec network_of(const Widths& widths, const std::string& activation) {
  NetworkSpec network{.hidden_widths = widths, .activation = Activation::parse(activation)};
  network.validate();
  return network;
}

std::vector<LayerPrior> priors_of(const Pairs& pairs, const NetworkSpec& network) {
  std::vector<LayerPrior> layers;
  for (const auto& [weight, bias] : pairs) layers.push_back({weight, bias});
  if (layers.size() == 1) layers = layer_priors(layers.front(), network);
  check_layers(layers, network);
  return layers;
}

Initialisation start_of(const Pairs& pairs, const std::string& distribution, const NetworkSpec& network) {
  return {.layers = priors_of(pairs, network), .distribution = parse_distribution(distribution)};
}

void fail_unknown_keyword(const std::string& name, const std::vector<std::string>& known) {
  throw Error(ErrorKind::usage, fmt::format("there is no argument '{}'{}; there are: {}", name,
                                            internal::suggestion(name, known), internal::join(known)));
}

void fail_keyword_type(const std::string& name, nb::handle value) {
  throw nb::type_error(
      fmt::format("{} is {}: not of a type that it can have", name, nb::cast<std::string>(nb::repr(value))).c_str());
}

}  // namespace priorfit::python
