#include "priorfit/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "priorfit/error.hpp"

namespace priorfit {

namespace {

void check_depth(Index depth) {
  if (depth < 1) throw Error(ErrorKind::usage, fmt::format("depth is {}: it must be at least 1", depth));
  if (depth > NetworkSpec::largest_depth) {
    throw Error(ErrorKind::usage, fmt::format("depth is {}: it must be at most {}", depth, NetworkSpec::largest_depth));
  }
}

}  // namespace

NetworkSpec NetworkSpec::uniform(Index depth, Index width, Activation activation) {
  check_depth(depth);  // before memory of that size is taken
  NetworkSpec spec{std::vector<Index>(static_cast<std::size_t>(depth), width), activation};
  spec.validate();
  return spec;
}

std::string NetworkSpec::widths_text() const {
  const auto end = hidden_widths.end();
  const bool equal = std::adjacent_find(hidden_widths.begin(), end, std::not_equal_to()) == end;
  if (equal && depth() > 3) return fmt::format("{} × {}", depth(), hidden_widths.front());
  return fmt::format("{}", fmt::join(hidden_widths, "-"));
}

void NetworkSpec::validate() const {
  if (hidden_widths.empty()) throw Error(ErrorKind::usage, "hidden_widths is empty: depth must be at least 1");
  check_depth(depth());
  for (const Index width : hidden_widths) {
    if (width < 1) throw Error(ErrorKind::usage, fmt::format("hidden width is {}: it must be at least 1", width));
  }
}

void LayerPrior::validate() const {
  if (!(std::isfinite(weight_variance) && weight_variance > 0)) {
    throw Error(ErrorKind::usage,
                fmt::format("weight_variance is {}: it must be finite and greater than 0", weight_variance));
  }
  if (!(std::isfinite(bias_variance) && bias_variance >= 0)) {
    throw Error(ErrorKind::usage, fmt::format("bias_variance is {}: it must be finite and at least 0", bias_variance));
  }
}

std::string to_string(const LayerPrior& prior) {
  return fmt::format("({:.5g}, {:.5g})", prior.weight_variance, prior.bias_variance);
}

std::vector<LayerPrior> layer_priors(const LayerPrior& prior, const NetworkSpec& network) {
  return std::vector<LayerPrior>(network.hidden_widths.size() + 1, prior);
}

void check_layers(const std::vector<LayerPrior>& layers, const NetworkSpec& network) {
  if (layers.size() != network.hidden_widths.size() + 1) {
    throw Error(ErrorKind::usage, fmt::format("priors has {} entries: the network has {} layers", layers.size(),
                                              network.hidden_widths.size() + 1));
  }
  for (const LayerPrior& layer : layers) layer.validate();
}

}  // namespace priorfit
