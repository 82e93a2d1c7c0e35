// Arguments of Python as the library's types.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "priorfit/initialisation.hpp"
#include "priorfit/network.hpp"

namespace priorfit::python {

namespace nb = nanobind;

using Widths = std::vector<Index>;
using Pairs = std::vector<std::pair<double, double>>;  // (σ_w², σ_b²), one per layer, or one for all

NetworkSpec network_of(const Widths& widths, const std::string& activation);
std::vector<LayerPrior> priors_of(const Pairs& pairs, const NetworkSpec& network);
Initialisation start_of(const Pairs& pairs, const std::string& distribution, const NetworkSpec& network);

/// One keyword of a call and the field that it sets.
template <typename Options>
struct Keyword {
  const char* name;
  void (*set)(Options&, nb::handle value);
};

[[noreturn]] void fail_unknown_keyword(const std::string& name, const std::vector<std::string>& known);
[[noreturn]] void fail_keyword_type(const std::string& name, nb::handle value);

template <typename Options, std::size_t N>
std::vector<std::string> names_of(const Keyword<Options> (&keywords)[N]) {
  std::vector<std::string> names;
  for (const Keyword<Options>& keyword : keywords) names.emplace_back(keyword.name);
  return names;
}

/// In the order of `keywords`, whatever that of the call. None is a value that was not given.
template <typename Options, std::size_t N>
void apply_keywords(Options& options, const nb::dict& values, const Keyword<Options> (&keywords)[N]) {
  for (const Keyword<Options>& keyword : keywords) {
    if (!values.contains(keyword.name)) continue;
    const nb::object value = values[keyword.name];
    if (value.is_none()) continue;
    try {
      keyword.set(options, value);
    } catch (const nb::cast_error&) {
      fail_keyword_type(keyword.name, value);
    }
  }
  const std::vector<std::string> known = names_of(keywords);
  for (const auto& [key, value] : values) {
    const auto name = nb::cast<std::string>(key);
    if (std::find(known.begin(), known.end(), name) == known.end()) fail_unknown_keyword(name, known);
  }
}

}  // namespace priorfit::python
