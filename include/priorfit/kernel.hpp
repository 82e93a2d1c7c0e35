// The covariance function of an infinitely wide random network (M1).
//
//     NetworkSpec network = NetworkSpec::uniform(3);                     // three hidden ReLU layers
//     Matrix k = covariance(network, {.weight_variance = 2.0}, inputs);  // samples × samples
//
// Evidence and prediction do not go through these dense matrices; they are for looking at, testing and exporting.
#pragma once

#include "priorfit/matrix.hpp"
#include "priorfit/network.hpp"

namespace priorfit {

/// E[φ(u) φ(v)] for (u, v) ~ N(0, [[a, c], [c, b]]) and its derivative in c, E[φ′(u) φ′(v)] (M2).
struct Dual {
  double value;
  double derivative;
};

/// a, b >= 0 and finite; |c| beyond √(ab) is taken as √(ab). For relu: relative error below 1e-12 wherever ab is a
/// normal double, however close to parallel or antiparallel; 0 when a or b is 0.
Dual dual(const Activation& activation, double a, double b, double c);

/// inputs.rows() × inputs.rows()
Matrix covariance(const NetworkSpec& network, const LayerPrior& prior, const MatrixView& inputs);
/// With variances of its own for each of the depth + 1 layers, as Initialisation::layers has them.
Matrix covariance(const NetworkSpec& network, const std::vector<LayerPrior>& layers, const MatrixView& inputs);

/// rows.rows() × columns.rows()
Matrix cross_covariance(const NetworkSpec& network, const LayerPrior& prior, const MatrixView& rows,
                        const MatrixView& columns);

/// The tangent kernel Θ of one output under gradient descent with one learning rate for all parameters (M8): the inner
/// products of its gradients, in the limit of wide layers, for layers as wide as `network` says. inputs.rows() square.
Matrix tangent_kernel(const NetworkSpec& network, const LayerPrior& prior, const MatrixView& inputs);
Matrix tangent_kernel(const NetworkSpec& network, const std::vector<LayerPrior>& layers, const MatrixView& inputs);

/// The diagonal of covariance(), from its own closed form.
Vector variance(const NetworkSpec& network, const LayerPrior& prior, const MatrixView& inputs);
Vector variance(const NetworkSpec& network, const std::vector<LayerPrior>& layers, const MatrixView& inputs);

}  // namespace priorfit
