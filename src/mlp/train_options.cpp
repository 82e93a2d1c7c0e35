#include <fmt/format.h>

#include <cmath>

#include "priorfit/error.hpp"
#include "priorfit/mlp.hpp"

namespace priorfit {
namespace {

template <typename Value>
void require(bool holds, const char* field, Value value, const char* rule) {
  if (!holds) throw Error(ErrorKind::usage, fmt::format("{} is {}: it must be {}", field, value, rule));
}

}  // namespace

void AdamOptions::validate() const {
  require(std::isfinite(learning_rate) && learning_rate > 0, "learning_rate", learning_rate,
          "finite and greater than 0");
  require(beta1 >= 0 && beta1 < 1, "beta1", beta1, "at least 0 and less than 1");
  require(beta2 >= 0 && beta2 < 1, "beta2", beta2, "at least 0 and less than 1");
  require(std::isfinite(epsilon) && epsilon > 0, "epsilon", epsilon, "finite and greater than 0");
}

void TrainOptions::validate() const {
  adam.validate();
  require(epochs >= 1, "epochs", epochs, "at least 1");
  require(batch >= 1, "batch", batch, "at least 1");
  require(threads >= 0, "threads", threads, "0 (all cores) or more");
  require(evaluate_every >= 0, "evaluate_every", evaluate_every, "0 (only at the end) or more");
  require(checkpoint_every >= 1, "checkpoint_every", checkpoint_every, "at least 1");
  require(sparse_below >= 0 && sparse_below <= 1, "sparse_below", sparse_below, "between 0 and 1");
}

}  // namespace priorfit
