// A criterion whose maximum over all rows cannot be seen in a part of them.
#pragma once

#include <cmath>
#include <memory>

#include "criteria/smooth.hpp"

namespace priorfit::internal {

/// A wide hill, and on the whole sample a narrow, higher one elsewhere, both in log σ_w²: a search that only climbs
/// what a part of the rows shows never sees the second.
class Hills : public SmoothCriterion {
 public:
  Hills(Index samples, double wide, double narrow) : samples_(samples), wide_(wide), narrow_(narrow) {}

  std::string_view name() const override { return "hills"; }
  const Nuisance& nuisance() const override { return nuisance_; }
  const NetworkSpec& network() const override { return network_; }
  Index samples() const override { return samples_; }
  double values() const override { return 1000; }
  WorkMeter& meter() override { return meter_; }
  void share(std::shared_ptr<WorkMeter>) override {}
  double evaluate(const Initialisation& start, double, Slopes* slopes) override {
    const double w = start.layers[0].weight_variance, b = start.layers[0].bias_variance, t = std::log(w);
    const double hill = std::exp(-0.5 * std::pow(t - wide_, 2)), steep = samples_ < whole ? 0.0 : 2.0;
    const double peak = steep * std::exp(-0.5 * std::pow((t - narrow_) / width, 2));
    if (slopes) {
      const double slope = -(t - wide_) * hill - (t - narrow_) / (width * width) * peak;
      slopes->layers = {{slope / w, -1.0}, {0.0, 0.0}};
    }
    return hill + peak - b;
  }
  Score score_at(const Initialisation& start, double nuisance) override {
    return Score::of(values() * evaluate(start, nuisance, nullptr));
  }
  double nuisance_offset(const Initialisation&) override { return 0.0; }
  std::optional<double> best_nuisance(const Initialisation&) override { return nuisance_.bounds.lower; }
  bool is_worth_trying(const Initialisation&) const override { return true; }
  std::vector<LayerPrior> promising_pairs(const Bounds&, const std::vector<double>&) const override { return {}; }
  bool rays_pay() const override { return false; }
  std::unique_ptr<Ray> ray(const Initialisation&) override { return nullptr; }
  void keep(std::unique_ptr<Ray>) override {}
  std::unique_ptr<SmoothCriterion> on_rows(Index samples, std::uint64_t) const override {
    return std::make_unique<Hills>(samples, wide_, narrow_);
  }

  static constexpr Index whole = 1000;

 private:
  static constexpr double width = 0.02;

  Index samples_;
  double wide_, narrow_;
  Nuisance nuisance_{"noise_variance", {0.1, 0.1}, true};
  NetworkSpec network_ = NetworkSpec::uniform(1);
  WorkMeter meter_;
};

}  // namespace priorfit::internal
