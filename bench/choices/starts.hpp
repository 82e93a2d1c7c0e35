// The starts that the benchmark of choices compares.
#pragma once

#include <Eigen/QR>

#include "priorfit/priorfit.hpp"
#include "support/random.hpp"

namespace choices {

using namespace priorfit;
using namespace priorfit::internal;

/// Parameters are drawn from `prior`; those of two kinds are then changed.
struct Start {
  std::string name;
  Initialisation prior;
  enum class Kind { drawn, orthogonal, unit_variance } kind = Kind::drawn;
};

/// σ_w² at which a signal keeps its size through layers without bias.
inline double critical_variance(const Activation& activation) {
  if (activation.is_homogeneous()) return 2.0 / (1.0 + activation.negative_slope() * activation.negative_slope());
  const auto point = critical_point(activation, 0.0);
  return point ? point->weight_variance : 1.5;
}

inline std::vector<Start> starts(const NetworkSpec& spec, Index features, Index outputs, bool all) {
  std::vector<Start> list;
  const auto named = [&](const char* name, InitialScheme scheme) {
    list.push_back({name, Initialisation::named(scheme, spec, features, outputs)});
  };
  named("he", InitialScheme::he);
  named("lecun", InitialScheme::lecun);
  named("glorot", InitialScheme::glorot);
  named("keras", InitialScheme::keras);
  named("pytorch", InitialScheme::pytorch);
  const double critical = critical_variance(spec.activation);
  list.push_back({"critical-0.01", Initialisation::with_output(spec, {critical, 0.0}, 0.01)});
  list.push_back({"orthogonal", Initialisation::tied(spec, {critical, 0.0}), Start::Kind::orthogonal});
  list.push_back({"lsuv", Initialisation::tied(spec, {critical, 0.0}), Start::Kind::unit_variance});
  const auto tied = [&](double weight, double bias) {
    list.push_back({fmt::format("{:g},{:g}", weight, bias), Initialisation::tied(spec, {weight, bias})});
  };
  const auto untied = [&](double weight, double bias, double output) {
    list.push_back({fmt::format("{:g},{:g},{:g}", weight, bias, output),
                    Initialisation::with_output(spec, {weight, bias}, output)});
  };
  if (all) {
    for (const double weight : {0.25, 0.5, 1.0, 1.5, 2.0, 3.0}) {
      for (const double bias : {0.0, 0.1}) {
        if (bias > 0 || (weight != 1.0 && weight != 2.0)) tied(weight, bias);  // those are LeCun's and He's
      }
    }
    tied(0.5, 1.0), tied(1.0, 1.0), tied(2.0, 1.0), tied(4.0, 0.0);
    for (const double weight : {0.5, 1.0, 1.5, 2.0}) {
      for (const double bias : {0.0, 0.1}) {
        for (const double output : {0.001, 0.01, 0.1}) untied(weight, bias, output);
      }
    }
  } else {
    tied(0.25, 0.0), tied(0.5, 0.0), tied(0.5, 0.1), tied(1.0, 0.1), tied(1.5, 0.0), tied(2.0, 0.1), tied(3.0, 0.0);
    tied(1.0, 1.0);
    untied(0.5, 0.0, 0.01), untied(0.5, 0.1, 0.1), untied(1.0, 0.0, 0.001), untied(1.0, 0.1, 0.01);
    untied(1.5, 0.0, 0.1), untied(1.5, 0.1, 0.01), untied(2.0, 0.0, 0.01), untied(2.0, 0.1, 0.1);
  }
  return list;
}

/// φ of every entry.
inline FloatMatrix activate(const Activation& activation, const FloatMatrix& values) {
  return values.unaryExpr([&](float x) { return static_cast<float>(activation(x)); });
}

/// The layer's rows (or columns, whichever are fewer) made orthogonal, their size kept as √σ_w²/√fan_in gives it.
inline void make_orthogonal(DenseLayer& layer, double weight_variance) {
  const bool wide = layer.weights.rows() < layer.weights.cols();
  const Eigen::MatrixXf tall = wide ? Eigen::MatrixXf(layer.weights.transpose()) : Eigen::MatrixXf(layer.weights);
  const Eigen::HouseholderQR<Eigen::MatrixXf> qr(tall);
  const Eigen::MatrixXf q = qr.householderQ() * Eigen::MatrixXf::Identity(tall.rows(), tall.cols());
  const auto gain = static_cast<float>(std::sqrt(weight_variance));
  if (wide) {
    layer.weights = gain * q.transpose();
  } else {
    layer.weights = gain * q;
  }
}

/// Layer by layer scaled to outputs of variance 1 on the first rows (Mishkin and Matas, 2016; one pass).
inline void scale_to_unit_variance(Mlp& network, const MatrixView& inputs) {
  FloatMatrix values = inputs.topRows(std::min<Index>(256, inputs.rows())).cast<float>();
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    DenseLayer& layer = network.layers[l];
    FloatMatrix out = values * layer.weights.transpose();
    const float mean = out.mean();
    const float variance = (out.array() - mean).square().mean();
    if (variance > 0) layer.weights /= std::sqrt(variance), out /= std::sqrt(variance);
    values = activate(network.spec.activation, out);
  }
}

inline Mlp draw(const Start& start, const NetworkSpec& spec, const PreparedData& data, Index outputs,
                std::uint64_t seed) {
  Mlp network = initialise(spec, data.features(), outputs, start.prior, seed);
  if (start.kind == Start::Kind::drawn) return network;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    make_orthogonal(network.layers[l], start.prior.layers[l].weight_variance);
  }
  if (start.kind == Start::Kind::unit_variance) scale_to_unit_variance(network, data.train.inputs);
  return network;
}

}  // namespace choices
