// Gaussian-process regression on a covariance that is dealt out.
#include <algorithm>

#include "distributed/covariance.hpp"
#include "distributed/distributed.hpp"
#include "evidence/factorization.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

constexpr double block_bytes = 64e6;  // of K(X, X*) on each rank

class SharedPosterior final : public PredictionWork {
 public:
  SharedPosterior(const World& world, const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                  const std::vector<LayerPrior>& layers, double noise_variance)
      : priors_(layers), covariance_(world, inputs, network, EvidenceOptions{}.largest_relative_jitter) {
    status_ = covariance_.factor(priors_, noise_variance);
    require_factored(status_);
    weights_ = targets;
    covariance_.solve(weights_, false);
    covariance_.solve(weights_, true);
  }

  const Evidence& factorization() const override { return status_; }

  Prediction predict(const MatrixView& test_inputs) const override {
    check_finite("test inputs", test_inputs);
    const Index features = covariance_.inputs().cols(), tests = test_inputs.rows();
    Prediction prediction{Matrix(tests, weights_.cols()), Vector(tests), status_.noise_variance};
    const double share = static_cast<double>(covariance_.inputs().rows()) / covariance_.world().size();
    const Index step = std::clamp<Index>(static_cast<Index>(block_bytes / (8.0 * share)), 16, 2048);
    for (Index first = 0; first < tests; first += step) {
      const Index count = std::min(step, tests - first);
      const MatrixView block = test_inputs.middleRows(first, count);
      const Vector norms = block.rowwise().squaredNorm();
      const LayerVariances variances(covariance_.network(), priors_, features, norms);
      variances.require_success();
      const auto products = covariance_.cross_products(priors_, block, variances, weights_);
      prediction.mean.middleRows(first, count) = products.means;
      for (Index j = 0; j < count; ++j) {
        prediction.variance[first + j] = std::max(0.0, variances.output(j) - products.explained[j]);
      }
    }
    return prediction;
  }

 private:
  LayerPriors priors_;
  DistributedCovariance covariance_;
  Evidence status_;
  Eigen::MatrixXd weights_;  // α = A⁻¹ Y, samples × outputs
};

class PredictionOfAll final : public PredictionElsewhere {
 public:
  explicit PredictionOfAll(const World& world) : world_(world) {}

  std::unique_ptr<PredictionWork> learn(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                                        const std::vector<LayerPrior>& layers, double noise_variance) override {
    check_samples(inputs, targets);
    network.validate();
    check_layers(layers, network);
    evidence_of_all(world_)->require_memory(inputs.rows(), inputs.cols(), targets.cols(), network.depth());
    return std::make_unique<SharedPosterior>(world_, inputs, targets, network, layers, noise_variance);
  }

 private:
  const World& world_;
};

}  // namespace

std::shared_ptr<PredictionElsewhere> prediction_of_all(const World& world) {
  return std::make_shared<PredictionOfAll>(world);
}

}  // namespace priorfit::internal
