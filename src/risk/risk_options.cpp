#include <fmt/format.h>

#include <cmath>

#include "priorfit/error.hpp"
#include "priorfit/trained_risk.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;

std::string_view to_string(Optimizer optimizer) { return optimizer == Optimizer::adam ? "adam" : "gradient-descent"; }

Optimizer parse_optimizer(std::string_view name) {
  const std::string word = usual_name(name, {{"sgd", "gradient_descent"}, {"gd", "gradient_descent"}});
  for (const Optimizer optimizer : {Optimizer::adam, Optimizer::gradient_descent}) {
    if (word == usual_name(to_string(optimizer))) return optimizer;
  }
  throw Error(ErrorKind::usage, fmt::format("predicted optimizer '{}' is unknown{} (adam, gradient-descent)", name,
                                            suggestion(name, {"adam", "gradient-descent"})));
}

void TrainedRiskOptions::validate() const {
  const auto positive = [](const char* name, double value) {
    if (std::isfinite(value) && value > 0) return;
    throw Error(ErrorKind::usage,
                fmt::format("the {} of predicted training is {}: it must be finite and greater than 0", name, value));
  };
  if (!(std::isfinite(ridge) && ridge >= 0)) {
    throw Error(ErrorKind::usage, fmt::format("ridge is {}: it must be finite and at least 0", ridge));
  }
  if (!time) return;
  positive("number of steps", time->steps);
  positive("learning rate", time->learning_rate);
  if (optimizer != Optimizer::gradient_descent) {
    throw Error(ErrorKind::usage, "training that is stopped is known for gradient descent alone, not for adam");
  }
}

}  // namespace priorfit
