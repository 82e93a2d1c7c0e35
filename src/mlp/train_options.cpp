#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "priorfit/error.hpp"
#include "priorfit/training.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

template <typename Value>
void require(bool holds, const char* field, Value value, const char* rule) {
  if (!holds) throw Error(ErrorKind::usage, fmt::format("{} is {}: it must be {}", field, value, rule));
}

void require_share(const char* field, double value) {
  require(value >= 0 && value < 1, field, value, "at least 0 and less than 1");
}

}  // namespace

std::string_view to_string(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::adam: return "adam";
    case OptimizerKind::adamw: return "adamw";
    case OptimizerKind::sgd: return "sgd";
  }
  throw Error(ErrorKind::internal, "unknown optimizer");
}

OptimizerKind parse_optimizer_kind(std::string_view name) {
  for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::sgd}) {
    if (usual_name(name) == to_string(kind)) return kind;
  }
  throw Error(ErrorKind::usage, fmt::format("optimizer '{}' is unknown{} (adam, adamw, sgd)", name,
                                            suggestion(name, {"adam", "adamw", "sgd"})));
}

std::string_view to_string(Decay decay) { return decay == Decay::constant ? "constant" : "cosine"; }

Decay parse_decay(std::string_view name) {
  if (name == "constant") return Decay::constant;
  if (name == "cosine") return Decay::cosine;
  throw Error(ErrorKind::usage, fmt::format("learning rate decay '{}' is unknown{} (constant, cosine)", name,
                                            suggestion(name, {"constant", "cosine"})));
}

void OptimizerOptions::validate() const {
  require(std::isfinite(weight_decay) && weight_decay >= 0, "weight_decay", weight_decay,
          "finite and at least 0 (0: none)");
  require_share("beta1", beta1);
  require_share("beta2", beta2);
  require(std::isfinite(epsilon) && epsilon > 0, "epsilon", epsilon, "finite and greater than 0");
  require_share("momentum", momentum);
  require(momentum == 0 || kind == OptimizerKind::sgd, "momentum", momentum,
          "0 unless the optimizer is sgd: adam and adamw have beta1 instead");
  require(!nesterov || momentum > 0, "momentum", momentum, "greater than 0 where nesterov is set, such as 0.9");
}

double LearningRateSchedule::at(std::uint64_t step, Index steps_per_epoch, Index epochs) const {
  const auto warmup = static_cast<double>(warmup_epochs * steps_per_epoch);
  const double done = static_cast<double>(step) - 1.0;
  if (done < warmup) return *base * (done + 1.0) / (warmup + 1.0);
  if (decay == Decay::constant) return *base;
  const double t = (done - warmup) / (static_cast<double>(epochs * steps_per_epoch) - warmup);
  return *base * 0.5 * (1.0 + std::cos(std::numbers::pi * t));
}

void TrainOptions::validate() const {
  optimizer.validate();
  if (learning_rate.base) {
    require(std::isfinite(*learning_rate.base) && *learning_rate.base > 0, "learning_rate", *learning_rate.base,
            "finite and greater than 0, such as 0.001");
  }
  require(epochs >= 1, "epochs", epochs, "at least 1");
  require(learning_rate.warmup_epochs >= 0 && learning_rate.warmup_epochs < epochs, "warmup_epochs",
          learning_rate.warmup_epochs, "at least 0 and below the number of epochs");
  require(batch >= 1, "batch", batch, "at least 1");
  require_share("label_smoothing", label_smoothing);
  require_share("validation_fraction", validation_fraction);
  require(patience >= 0, "patience", patience, "0 (never stop early) or more");
  require(evaluate_every >= 0, "evaluate_every", evaluate_every, "0 (only at the end) or more");
  require(checkpoint_every >= 1, "checkpoint_every", checkpoint_every, "at least 1");
  require(sparse_below >= 0 && sparse_below <= 1, "sparse_below", sparse_below, "between 0 and 1");
}

TrainOptions TrainOptions::resolved(bool has_labels) const {
  validate();
  TrainOptions result = *this;
  result.loss = loss.value_or(default_loss(has_labels));
  if (!learning_rate.base) result.learning_rate.base = optimizer.kind == OptimizerKind::sgd ? 1e-2 : 1e-3;
  if (result.loss == Loss::cross_entropy && !has_labels) {
    throw Error(ErrorKind::usage,
                "loss is cross-entropy, which needs classes: these targets are numbers; use loss=squared, or read them "
                "as classes, task=classification");
  }
  if (result.loss == Loss::squared && label_smoothing > 0) {
    throw Error(ErrorKind::usage,
                fmt::format("label_smoothing is {}: it must be 0 unless the loss is cross-entropy", label_smoothing));
  }
  return result;
}

}  // namespace priorfit
