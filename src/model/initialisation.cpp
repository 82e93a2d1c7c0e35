#include "priorfit/initialisation.hpp"

#include <fmt/format.h>

#include <array>

#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit {
namespace {

constexpr std::array all_schemes = {InitialScheme::he, InitialScheme::lecun, InitialScheme::glorot,
                                    InitialScheme::keras, InitialScheme::pytorch};

}  // namespace

std::string_view to_string(InitialScheme scheme) {
  switch (scheme) {
    case InitialScheme::he: return "he";
    case InitialScheme::lecun: return "lecun";
    case InitialScheme::glorot: return "glorot";
    case InitialScheme::keras: return "keras";
    case InitialScheme::pytorch: return "pytorch";
  }
  return "";
}

InitialScheme parse_initial_scheme(std::string_view name) {
  std::vector<std::string> names;
  for (const InitialScheme scheme : all_schemes) {
    if (name == to_string(scheme)) return scheme;
    names.emplace_back(to_string(scheme));
  }
  throw Error(ErrorKind::usage,
              fmt::format("scheme '{}' is unknown{} (known: {})", name, suggestion(name, names), join(names)));
}

std::vector<Index> layer_sizes(const NetworkSpec& spec, Index features, Index outputs) {
  spec.validate();
  if (features < 1) throw Error(ErrorKind::usage, fmt::format("features is {}: it must be at least 1", features));
  if (outputs < 1) throw Error(ErrorKind::usage, fmt::format("outputs is {}: it must be at least 1", outputs));
  std::vector<Index> sizes = {features};
  sizes.insert(sizes.end(), spec.hidden_widths.begin(), spec.hidden_widths.end());
  sizes.push_back(outputs);
  return sizes;
}

std::vector<LayerPrior> layer_priors(InitialScheme scheme, const NetworkSpec& spec, Index features, Index outputs) {
  const std::vector<Index> sizes = layer_sizes(spec, features, outputs);
  std::vector<LayerPrior> priors;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    const auto fan_in = static_cast<double>(sizes[l]);
    const auto fan_out = static_cast<double>(sizes[l + 1]);
    switch (scheme) {
      case InitialScheme::he: priors.push_back({2.0, 0.0}); break;
      case InitialScheme::lecun: priors.push_back({1.0, 0.0}); break;
      case InitialScheme::glorot:
      case InitialScheme::keras: priors.push_back({2.0 * fan_in / (fan_in + fan_out), 0.0}); break;
      case InitialScheme::pytorch: priors.push_back({1.0 / 3.0, 1.0 / (3.0 * fan_in)}); break;
    }
  }
  return priors;
}

Distribution distribution_of(InitialScheme scheme) {
  return scheme == InitialScheme::keras || scheme == InitialScheme::pytorch ? Distribution::uniform
                                                                            : Distribution::normal;
}

Initialisation::Initialisation(InitialScheme scheme) {
  switch (scheme) {
    case InitialScheme::he: prior_ = {2.0, 0.0}; break;
    case InitialScheme::lecun: prior_ = {1.0, 0.0}; break;
    default: scheme_ = scheme;
  }
}

std::vector<LayerPrior> Initialisation::layers(const NetworkSpec& spec, Index features, Index outputs) const {
  if (scheme_) return layer_priors(*scheme_, spec, features, outputs);
  prior_.validate();
  return layer_priors(prior_, spec);
}

std::string Initialisation::name() const { return scheme_ ? std::string(to_string(*scheme_)) : to_string(prior_); }

}  // namespace priorfit
