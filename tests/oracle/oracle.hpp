// Reference values (values.json, made by generate.py at 50 digits) and the one tolerance of the tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "priorfit/activation.hpp"
#include "priorfit/matrix.hpp"

namespace priorfit::oracle {

inline const nlohmann::json& values() {
  static const nlohmann::json json = nlohmann::json::parse(std::ifstream(PRIORFIT_TESTS "/oracle/values.json"));
  return json;
}

inline double number(const nlohmann::json& text) { return std::stod(text.get<std::string>()); }

inline Matrix matrix(const nlohmann::json& rows) {
  Matrix out(rows.size(), rows.at(0).size());
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = number(rows.at(i).at(j));
  }
  return out;
}

/// The oracle writes leaky_relu_0.2 for leaky_relu:0.2.
inline Activation activation(const nlohmann::json& entry) {
  const std::string name = entry.at("activation").get<std::string>();
  const std::string leaky = "leaky_relu_";
  return Activation::parse(name.starts_with(leaky) ? "leaky_relu:" + name.substr(leaky.size()) : name);
}

/// Relative difference with an absolute floor; NaN is equal to nothing.
inline ::testing::AssertionResult close(double actual, double expected, double relative, double absolute = 0.0) {
  const double difference = std::abs(actual - expected);
  if (difference <= relative * std::abs(expected) + absolute) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::scientific << actual << " differs from " << expected << " by "
                                       << difference << ", relative " << difference / std::abs(expected);
}

}  // namespace priorfit::oracle
