// A criterion of one's own: initialisations whose outputs are as large as the targets.
#pragma once

#include <cmath>
#include <memory>

#include "priorfit/kernel.hpp"
#include "priorfit/recommend.hpp"

namespace priorfit {

/// |log(mean square of outputs / mean square of targets)|
class OutputSize : public Criterion {
 public:
  explicit OutputSize(const CriterionInputs& in)
      : inputs_(in.inputs), network_(in.network), wanted_(in.targets.squaredNorm() / double(in.targets.size())) {}

  std::string_view name() const override { return "output-size"; }
  Score judge(const Initialisation& start, const RunContext&) override {
    const double size = variance(network_, start.layers, inputs_).mean();
    if (!(size > 0 && std::isfinite(size))) return Score::failed("the outputs vanish or explode");
    return Score::of(std::abs(std::log(size / wanted_)));
  }

 private:
  MatrixView inputs_;
  NetworkSpec network_;
  double wanted_;
};

inline void register_output_size() {
  register_criterion({.name = "output-size",
                      .unit = "e-folds",
                      .larger_is_better = false,
                      .summary = "outputs as large as the targets",
                      .make = [](const CriterionInputs& in) { return std::make_unique<OutputSize>(in); }});
}

}  // namespace priorfit
