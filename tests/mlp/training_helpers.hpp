// What the tests of train() and train_many() share.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "priorfit/error.hpp"
#include "priorfit/training.hpp"

namespace priorfit::test {

inline std::string message_of(ErrorKind kind, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "no error";
}

inline bool same_weights(const Mlp& a, const Mlp& b) {
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    if (a.layers[l].weights != b.layers[l].weights || a.layers[l].bias != b.layers[l].bias) return false;
  }
  return true;
}

inline PreparedData prepared(const Samples& train, const Samples& test, Index rows = 1000) {
  PreparedData data;
  data.name = "random";
  data.task = train.labels.empty() ? Task::regression : Task::classification;
  data.rows = rows;
  data.train = train;
  data.test = test;
  return data;
}

}  // namespace priorfit::test
