// Every activation there is, with a slope given, a negative one and a function of one's own.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>

#include "priorfit/activation.hpp"

namespace priorfit {

inline void PrintTo(const Activation& activation, std::ostream* out) { *out << activation.name(); }

namespace test {

inline std::vector<Activation> every_activation() {
  std::vector<Activation> all;
  for (const std::string& name : Activation::names()) all.push_back(Activation::parse(name));
  all.push_back(Activation::parse("leaky_relu:0.2"));
  all.push_back(Activation::parse("leaky_relu:-0.5"));
  all.push_back(Activation::custom(
      "arctangent", [](double x) { return std::atan(x); }, [](double x) { return 1 / (1 + x * x); }));
  return all;
}

inline std::string activation_label(const testing::TestParamInfo<Activation>& info) {
  std::string label = info.param.name();
  for (char& letter : label) {
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  }
  return label;
}

}  // namespace test
}  // namespace priorfit
