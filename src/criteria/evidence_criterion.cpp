#include "criteria/evidence_criterion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "criteria/library_criteria.hpp"
#include "criteria/line_maximum.hpp"
#include "kernel/activation_tables.hpp"
#include "priorfit/error.hpp"
#include "support/random.hpp"

namespace priorfit::internal {
namespace {

/// A reduction of the covariance (M4).
class EvidenceRay final : public Ray {
 public:
  EvidenceRay(Initialisation start, EvidenceProfile profile, double values)
      : start_(std::move(start)), profile_(std::move(profile)), values_(values) {}

  const Initialisation& start() const override { return start_; }
  bool scales() const override { return profile_.scales(); }
  Value at(double scale, double noise_variance) const override {
    const EvidenceProfile::Point point = profile_.at_scale(scale, noise_variance);
    return {point.log_marginal_likelihood / values_, point.by_log_scale / values_,
            point.by_log_noise_variance / values_};
  }

 private:
  Initialisation start_;
  EvidenceProfile profile_;
  double values_;
};

/// By which factor all variances of `from` have to be multiplied to be those of `to`; empty where no factor does it.
std::optional<double> scale_between(const Initialisation& from, const Initialisation& to) {
  const double scale = to.layers.front().weight_variance / from.layers.front().weight_variance;
  for (std::size_t l = 0; l < from.layers.size(); ++l) {
    const LayerPrior &a = from.layers[l], &b = to.layers[l];
    if (a.weight_variance * scale != b.weight_variance || a.bias_variance * scale != b.bias_variance)
      return std::nullopt;
  }
  return scale;
}

Nuisance noise_nuisance(const NoiseChoice& noise) {
  const bool fixed = noise.kind == NoiseChoice::Kind::fixed;
  return {"noise_variance", fixed ? Bounds{noise.value, noise.value} : noise.bounds, fixed};
}

std::unique_ptr<OwnedRows> draw_rows(const MatrixView& inputs, const MatrixView& targets, Index samples,
                                     std::uint64_t seed) {
  auto rows = std::make_unique<OwnedRows>(OwnedRows{Matrix(samples, inputs.cols()), Matrix(samples, targets.cols())});
  // Drawn, not the first rows: a table may be sorted.
  const auto drawn = draw_without_replacement(inputs.rows(), samples, RandomStream(seed, RandomUse::rows));
  for (Index i = 0; i < samples; ++i) {
    rows->inputs.row(i) = inputs.row(drawn[static_cast<std::size_t>(i)]);
    rows->targets.row(i) = targets.row(drawn[static_cast<std::size_t>(i)]);
  }
  return rows;
}

}  // namespace

EvidenceCriterion::EvidenceCriterion(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                                     const CriterionOptions& options, std::shared_ptr<WorkMeter> meter)
    : inputs_(inputs),
      targets_(targets),
      network_(network),
      options_(options),
      scale_(inputs, targets),
      nuisance_(noise_nuisance(options.noise)),
      meter_(std::move(meter)),
      engine_(inputs, targets, network, options.evidence) {}

EvidenceCriterion::EvidenceCriterion(std::unique_ptr<OwnedRows> rows, const EvidenceCriterion& whole)
    : EvidenceCriterion(rows->inputs, rows->targets, whole.network_, whole.options_, whole.meter_) {
  rows_ = std::move(rows);
}

EvidenceCriterion::~EvidenceCriterion() = default;

std::unique_ptr<SmoothCriterion> EvidenceCriterion::on_rows(Index samples, std::uint64_t seed) const {
  return std::unique_ptr<SmoothCriterion>(new EvidenceCriterion(draw_rows(inputs_, targets_, samples, seed), *this));
}

Score EvidenceCriterion::judge_at_best_noise(const Initialisation& start, bool leave_one_out) {
  // Where no noise could be fitted, the largest shows why.
  const double noise = best_nuisance(start).value_or(nuisance_.bounds.upper);
  meter_->factorization(samples());
  factored_.reset();
  last_.reset();
  return leave_one_out ? engine_.evaluate_with_leave_one_out(start.layers, noise)
                       : engine_.evaluate(start.layers, noise);
}

Score EvidenceCriterion::judge(const Initialisation& start, const RunContext&) {
  return judge_at_best_noise(start, options_.leave_one_out);
}

Score EvidenceCriterion::judge_in_full(const Initialisation& start, const RunContext&) {
  // Up to this size the leave-one-out density is computed without being asked for: it doubles the time.
  constexpr Index samples_for_leave_one_out = 10000;
  return judge_at_best_noise(start, options_.leave_one_out || samples() <= samples_for_leave_one_out);
}

std::size_t EvidenceCriterion::prefer(const std::vector<Candidate>& candidates) const {
  try {
    return Criterion::prefer(candidates);
  } catch (const Error& error) {
    const auto helps = [](const Candidate& candidate) {
      return candidate.has_evidence() && candidate.evidence().status == EvidenceStatus::not_positive_definite;
    };
    if (error.kind() != ErrorKind::numerical || candidates.empty()) throw;
    throw Error(
        ErrorKind::numerical,
        fmt::format("no cell of the grid could be factored; the first: {}{}", candidates.front().evidence().remark(),
                    std::any_of(candidates.begin(), candidates.end(), helps) ? ". A larger noise helps" : ""));
  }
}

bool EvidenceCriterion::is_worth_trying(const Initialisation& start) const {
  return !is_tabulated(network_.activation) || is_plausible(network_, start.layers, scale_);
}

const EvidenceGradient& EvidenceCriterion::gradient_at(const Place& place) {
  if (last_ == place) return last_gradient_;
  if (!is_worth_trying(place.start)) {
    last_gradient_ = {};
    last_gradient_.evidence.status = EvidenceStatus::not_finite;
    last_gradient_.evidence.log_marginal_likelihood = last_gradient_.evidence.per_value = NAN;
  } else {
    if (factored_ != place) meter_->factorization(samples());
    last_gradient_ = engine_.evaluate_with_gradient(place.start.layers, place.noise_variance);
    meter_->gradient(samples());
    meter_->step();
  }
  factored_.reset();
  last_ = place;
  return last_gradient_;
}

double EvidenceCriterion::evaluate(const Initialisation& start, double noise_variance, Slopes* slopes) {
  const Place place{start, noise_variance};
  if (!slopes && last_ != place) {
    if (!is_worth_trying(start)) return NAN;
    if (factored_ != place) meter_->factorization(samples());
    factored_ = place;
    const Evidence evidence = engine_.evaluate(start.layers, noise_variance);
    meter_->step();
    return evidence.per_value;
  }
  const EvidenceGradient& gradient = gradient_at(place);
  if (slopes && gradient.ok()) {
    slopes->layers = gradient.layers;
    for (LayerSlopes& layer : slopes->layers) {
      layer.by_weight_variance /= values();
      layer.by_bias_variance /= values();
    }
    slopes->nuisance = gradient.by_noise_variance / values();
  }
  return gradient.evidence.per_value;
}

Score EvidenceCriterion::score_at(const Initialisation& start, double noise_variance) {
  return gradient_at({start, noise_variance}).evidence;
}

double EvidenceCriterion::nuisance_offset(const Initialisation& start) {
  const EvidenceGradient& quiet = gradient_at({start, nuisance_.bounds.lower});
  return quiet.ok() ? static_cast<double>(samples()) / quiet.inverse_trace : 0.0;
}

std::unique_ptr<Ray> EvidenceCriterion::ray(const Initialisation& start) {
  if (!engine_.has_profiles()) return nullptr;
  ray_.reset();  // its memory is needed for the next
  factored_.reset();
  last_.reset();
  try {
    EvidenceProfile profile = engine_.profile(start.layers);
    meter_->reduction(samples());
    meter_->step();
    return std::make_unique<EvidenceRay>(start, std::move(profile), values());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numerical) throw;
    return nullptr;
  }
}

std::optional<double> EvidenceCriterion::best_nuisance(const Initialisation& asked) {
  if (nuisance_.fixed) return nuisance_.bounds.lower;
  // The same covariance in every layer's variance alike shares more rays.
  const std::optional<LayerPrior> pair = equivalent_pair(asked, network_);
  const Initialisation start = pair ? Initialisation::tied(network_, *pair) : asked;
  std::optional<double> scale = ray_ ? scale_between(ray_->start(), start) : std::nullopt;
  if (!scale || (*scale != 1.0 && !ray_->scales())) {
    if (!engine_.has_profiles()) return best_nuisance_directly(start);
    ray_ = ray(start);
    if (!ray_) return std::nullopt;
    scale = 1.0;
  }
  const LineFunction along = [&](double log_noise, double* slope) {
    const Ray::Value value = ray_->at(*scale, std::exp(log_noise));
    if (slope) *slope = value.by_log_nuisance;
    return value.value;
  };
  const auto best = line_maximum(along, std::log(nuisance_.bounds.lower), std::log(nuisance_.bounds.upper), {});
  return best ? std::optional(std::clamp(std::exp(*best), nuisance_.bounds.lower, nuisance_.bounds.upper)) : best;
}

std::optional<double> EvidenceCriterion::best_nuisance_directly(const Initialisation& start) {
  if (nuisance_.fixed) return nuisance_.bounds.lower;
  const LineFunction climb = [&](double log_noise, double* slope) {
    const double noise = std::exp(log_noise);
    Slopes slopes;
    const double value = evaluate(start, noise, slope ? &slopes : nullptr);
    if (slope) *slope = slopes.nuisance * noise;
    return value;
  };
  const auto best = line_maximum(climb, std::log(nuisance_.bounds.lower), std::log(nuisance_.bounds.upper), {});
  return best ? std::optional(std::clamp(std::exp(*best), nuisance_.bounds.lower, nuisance_.bounds.upper)) : best;
}

std::vector<LayerPrior> EvidenceCriterion::promising_pairs(const Bounds& weights,
                                                           const std::vector<double>& biases) const {
  return internal::promising_pairs(network_, weights, biases, scale_);
}

CriterionInfo evidence_criterion() {
  return {.name = "evidence",
          .unit = "nats",
          .larger_is_better = true,
          .has_gradient = true,
          .summary = "what explains the data best",
          .make = [](const CriterionInputs& in) -> std::unique_ptr<Criterion> {
            return std::make_unique<EvidenceCriterion>(in.inputs, in.targets, in.network, in.options);
          }};
}

}  // namespace priorfit::internal
