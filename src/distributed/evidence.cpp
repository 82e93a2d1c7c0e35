// Evidence, leave-one-out densities and gradient (M3) from a covariance that is dealt out.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "distributed/covariance.hpp"
#include "distributed/distributed.hpp"
#include "evidence/factorization.hpp"
#include "linalg/fits.hpp"
#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit::internal {
namespace {

/// Rank 0's figures for all.
void agree(const World& world, Evidence& e) {
  std::array<double, 9> values = {static_cast<double>(e.status),
                                  e.log_marginal_likelihood,
                                  e.per_value,
                                  e.leave_one_out,
                                  e.noise_variance,
                                  e.jitter,
                                  static_cast<double>(e.failed_pivot),
                                  static_cast<double>(e.failed_layer),
                                  e.failed_variance};
  world.agree(values.data(), values.size());
  e = {.status = static_cast<EvidenceStatus>(static_cast<int>(values[0])),
       .log_marginal_likelihood = values[1],
       .per_value = values[2],
       .leave_one_out = values[3],
       .noise_variance = values[4],
       .jitter = values[5],
       .failed_pivot = static_cast<Index>(values[6]),
       .failed_layer = static_cast<Index>(values[7]),
       .failed_variance = values[8]};
}

void agree(const World& world, EvidenceGradient& g, std::size_t layers) {
  agree(world, g.evidence);
  std::array<double, 4> sums = {g.by_weight_variance, g.by_bias_variance, g.by_noise_variance, g.inverse_trace};
  world.agree(sums.data(), sums.size());
  g.by_weight_variance = sums[0];
  g.by_bias_variance = sums[1];
  g.by_noise_variance = sums[2];
  g.inverse_trace = sums[3];
  g.layers.resize(g.ok() ? layers : 0);
  for (LayerSlopes& layer : g.layers) {
    std::array<double, 2> slopes = {layer.by_weight_variance, layer.by_bias_variance};
    world.agree(slopes.data(), slopes.size());
    layer = {slopes[0], slopes[1]};
  }
}

class SharedWork final : public EvidenceWork {
 public:
  SharedWork(const World& world, const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
             const EvidenceOptions& options)
      : targets_(targets), covariance_(world, inputs, network, options.largest_relative_jitter) {}

  Evidence evaluate(const LayerPriors& priors, double noise_variance) override {
    Evidence result = evaluate_here(priors, noise_variance);
    agree(covariance_.world(), result);
    return result;
  }

  Evidence with_leave_one_out(const LayerPriors& priors, double noise_variance) override {
    Evidence result = evaluate_here(priors, noise_variance);
    if (result.ok()) {
      covariance_.solve(whitened_, true);
      result.leave_one_out = leave_one_out_density(whitened_, covariance_.inverse_diagonal());
    }
    agree(covariance_.world(), result);
    return result;
  }

  /// ½ tr[W ∂A], W = Σ_c α_c α_cᵀ − C A⁻¹.
  EvidenceGradient with_gradient(const LayerPriors& priors, double noise_variance) override {
    EvidenceGradient result{.evidence = evaluate_here(priors, noise_variance)};
    if (result.ok()) {
      covariance_.solve(whitened_, true);
      const Vector inverse_diagonal = covariance_.invert();
      result.inverse_trace = inverse_diagonal.sum();
      result.evidence.leave_one_out = leave_one_out_density(whitened_, inverse_diagonal);
      const auto outputs = static_cast<double>(whitened_.cols());
      const Vector diagonal = 0.5 * (whitened_.rowwise().squaredNorm() - outputs * inverse_diagonal);
      const Index features = covariance_.inputs().cols();
      const LayerVariances variances(covariance_.network(), priors, features, covariance_.squared_norms());
      const AdjointPass pass(covariance_.network(), priors, features, variances);
      complete_gradient(pass, covariance_.squared_norms(), diagonal,
                        covariance_.off_diagonal_adjoints(pass, whitened_, outputs), result);
    }
    agree(covariance_.world(), result, priors.weights.size());
    return result;
  }

 private:
  /// Leaves L⁻¹ Y in whitened_.
  Evidence evaluate_here(const LayerPriors& priors, double noise_variance) {
    Evidence result = covariance_.factor(priors, noise_variance);
    result.log_marginal_likelihood = std::numeric_limits<double>::quiet_NaN();
    if (result.ok()) {
      const Index samples = targets_.rows(), outputs = targets_.cols();
      whitened_ = targets_;
      covariance_.solve(whitened_, false);
      result.log_marginal_likelihood =
          -0.5 * (whitened_.squaredNorm() + static_cast<double>(outputs) * covariance_.log_determinant() +
                  static_cast<double>(samples * outputs) * std::log(2 * std::numbers::pi));
      if (!std::isfinite(result.log_marginal_likelihood)) result.status = EvidenceStatus::not_finite;
    }
    result.per_value = result.log_marginal_likelihood / static_cast<double>(targets_.size());
    return result;
  }

  MatrixView targets_;
  DistributedCovariance covariance_;
  Eigen::MatrixXd whitened_;
};

/// Rank 0 alone, for samples too small to be shared.
class WorkOfOne final : public EvidenceWork {
 public:
  WorkOfOne(const World& world, const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
            EvidenceOptions options)
      : world_(world), layers_(static_cast<std::size_t>(network.depth()) + 1) {
    options.elsewhere.reset();
    if (world.rank() == 0) engine_ = std::make_unique<EvidenceEngine>(inputs, targets, network, options);
  }

  Evidence evaluate(const LayerPriors& priors, double noise_variance) override {
    Evidence result;
    if (engine_) result = engine_->evaluate(layers_of(priors), noise_variance);
    agree(world_, result);
    return result;
  }
  Evidence with_leave_one_out(const LayerPriors& priors, double noise_variance) override {
    Evidence result;
    if (engine_) result = engine_->evaluate_with_leave_one_out(layers_of(priors), noise_variance);
    agree(world_, result);
    return result;
  }
  EvidenceGradient with_gradient(const LayerPriors& priors, double noise_variance) override {
    EvidenceGradient result;
    if (engine_) result = engine_->evaluate_with_gradient(layers_of(priors), noise_variance);
    agree(world_, result, layers_);
    return result;
  }

 private:
  static std::vector<LayerPrior> layers_of(const LayerPriors& priors) {
    std::vector<LayerPrior> layers;
    for (std::size_t l = 0; l < priors.weights.size(); ++l) layers.push_back({priors.weights[l], priors.biases[l]});
    return layers;
  }

  const World& world_;
  std::size_t layers_;
  std::unique_ptr<EvidenceEngine> engine_;
};

class EvidenceOfAll final : public EvidenceElsewhere {
 public:
  EvidenceOfAll(const World& world, Index smallest) : world_(world), smallest_(smallest) {}

  std::unique_ptr<EvidenceWork> make(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                                     const EvidenceOptions& options) override {
    if (inputs.rows() < smallest_) return std::make_unique<WorkOfOne>(world_, inputs, targets, network, options);
    return std::make_unique<SharedWork>(world_, inputs, targets, network, options);
  }

  void require_memory(Index samples, Index features, Index outputs, Index depth) const override {
    // The largest sample that a search holds beside the whole one has about a third of its rows.
    const auto needed = [&](const GridShape& shape) {
      const Index part = samples * 35 / 100;
      return DistributedCovariance::bytes(samples, outputs, depth, shape) +
             DistributedCovariance::bytes(part, outputs, depth, shape) +
             static_cast<double>(part * (features + outputs)) * sizeof(double);
    };
    const double there = world_.least(std::min(static_cast<double>(shared_memory_left()) / world_.on_this_machine(),
                                               static_cast<double>(address_space_left())));
    const double usable = usable_share * there;
    const auto fits = [&](int ranks) {
      const GridShape shape = usual_shape(ranks);
      // ScaLAPACK counts a rank's entries in 32 bits.
      const double entries = static_cast<double>(samples) * static_cast<double>(samples) / ranks;
      return needed(shape) <= usable && entries < 2e9;
    };
    if (needed(world_.shape()) <= usable && fits(world_.size())) return;
    int ranks = world_.size() + 1;
    constexpr int most = 1 << 20;
    while (ranks < most && !fits(ranks)) ++ranks;
    const std::string remedy = ranks < most
                                   ? fmt::format("at least {} ranks, each with as much memory, would hold it", ranks)
                                   : "no number of ranks with so little memory each would hold it";
    throw Error(ErrorKind::resource,
                fmt::format("the evidence of {} samples needs {:.2f} GB on each of {} ranks and {:.2f} GB are free for "
                            "each; {}, or use fewer samples",
                            samples, needed(world_.shape()) / 1e9, world_.size(), there / 1e9, remedy));
  }

 private:
  const World& world_;
  Index smallest_;
};

}  // namespace

std::shared_ptr<EvidenceElsewhere> evidence_of_all(const World& world, Index smallest) {
  return std::make_shared<EvidenceOfAll>(world, smallest);
}

}  // namespace priorfit::internal
