// What each criterion says of a start, from the training rows alone.
#pragma once

#include <Eigen/Cholesky>
#include <chrono>
#include <functional>

#include "linalg/packed.hpp"
#include "starts.hpp"

namespace choices {

/// A sample of the training rows, and the engines that judge starts on it.
class Theory {
 public:
  using Emit = std::function<void(const std::string& criterion, double seconds, double value)>;

  Theory(const PreparedData& data, const NetworkSpec& spec, Optimizer optimizer)
      : data_(data), spec_(spec), half_(data.train.size() / 2) {
    const auto& train = data.train;
    const CriterionInputs inputs{train.inputs,
                                 train.targets,
                                 train.labels.empty() ? nullptr : &train.labels,
                                 spec,
                                 {.noise = NoiseChoice::fit(), .leave_one_out = true}};
    evidence_ = find_criterion("evidence").make(inputs);
    half_engine_.emplace(half_inputs(), half_targets(), spec);
    for (const double ridge : ridges) {
      risks_.emplace_back(train.inputs, train.targets, data.task, spec,
                          TrainedRiskOptions{.optimizer = optimizer, .ridge = ridge});
    }
  }

  void judge(const Start& start, const Emit& emit) {
    if (start.kind == Start::Kind::unit_variance) return;  // its variances are known only after scaling
    const auto clock = [] { return std::chrono::steady_clock::now(); };
    const auto since = [&](auto begin) { return std::chrono::duration<double>(clock() - begin).count(); };
    auto begin = clock();
    const Score score = evidence_->judge_in_full(start.prior, {});
    if (score.ok()) {
      const Evidence& evidence = *score.evidence();
      emit("evidence", since(begin), evidence.log_marginal_likelihood);
      emit("leave-one-out", since(begin), evidence.leave_one_out);
      begin = clock();
      const Evidence half = half_engine_->evaluate(start.prior.layers, evidence.noise_variance);
      if (half.ok()) {
        emit("evidence-half", since(begin), evidence.log_marginal_likelihood - half.log_marginal_likelihood);
      }
    }
    for (std::size_t r = 0; r < risks_.size(); ++r) {
      begin = clock();
      const TrainedRisk risk = risks_[r].evaluate(start.prior.layers);
      if (!risk.ok()) continue;
      const std::string ridge = fmt::format("@{:g}", ridges[r]);
      emit("risk-error" + ridge, since(begin), risk.error);
      if (risk.accuracy) emit("risk-wrong" + ridge, since(begin), 1 - *risk.accuracy);
      // Log density of the left-out targets under N(mean, v + s²), s² the error of the mean prediction.
      emit("risk-density" + ridge, since(begin),
           0.5 * std::log(risk.data_error + risk.initialisation_error) +
               0.5 * risk.error / (risk.data_error + risk.initialisation_error));
    }
  }

  static constexpr std::array<double, 4> ridges = {1e-3, 1e-2, 1e-1, 1.0};

 private:
  MatrixView half_inputs() const { return data_.train.inputs.topRows(half_); }
  MatrixView half_targets() const { return data_.train.targets.topRows(half_); }

  const PreparedData& data_;
  NetworkSpec spec_;
  Index half_;
  std::unique_ptr<Criterion> evidence_;
  std::optional<EvidenceEngine> half_engine_;
  std::vector<TrainedRiskEngine> risks_;
};

/// Mean squared left-out error of the network's own tangent kernel on rows it was not trained on: the linearised
/// network learns what it leaves of the targets there.
inline double tangent_after_training(const Mlp& network, const MatrixView& inputs, const MatrixView& targets) {
  const Index rows = inputs.rows(), outputs = targets.cols();
  std::vector<FloatMatrix> before, values{inputs.cast<float>()};
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const DenseLayer& layer = network.layers[l];
    before.push_back((values.back() * layer.weights.transpose()).rowwise() + layer.bias.transpose());
    if (l + 1 < network.layers.size()) values.push_back(activate(network.spec.activation, before.back()));
  }
  Eigen::MatrixXd kernel = Eigen::MatrixXd::Zero(rows, rows);
  for (Index c = 0; c < std::min<Index>(outputs, 3); ++c) {  // all outputs have the same kernel in a wide network
    FloatMatrix delta = FloatMatrix::Zero(rows, outputs);
    delta.col(c).setOnes();
    for (std::size_t l = network.layers.size(); l-- > 0;) {
      const Eigen::MatrixXd in = values[l].cast<double>(), out = delta.cast<double>();
      kernel.array() += ((in * in.transpose()).array() + 1) * (out * out.transpose()).array();
      if (l == 0) break;
      delta = (delta * network.layers[l].weights).cwiseProduct(before[l - 1].unaryExpr([&](float x) {
        return static_cast<float>(network.spec.activation.derivative(x));
      }));
    }
  }
  kernel.diagonal().array() += 1e-3 * kernel.diagonal().mean();
  const Eigen::MatrixXd left = targets - before.back().cast<double>();
  const Eigen::MatrixXd inverse = kernel.llt().solve(Eigen::MatrixXd::Identity(rows, rows));
  const Eigen::MatrixXd errors = (inverse * left).array().colwise() / inverse.diagonal().array();
  return errors.array().square().mean();
}

}  // namespace choices
