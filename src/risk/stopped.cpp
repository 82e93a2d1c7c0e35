#include "risk/stopped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linalg/dense.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {

void stop_training(PackedSymmetric& tangent, Index target_values, const TrainingTime& time) {
  const Index size = tangent.size();
  Eigen::MatrixXd vectors(size, size);
  unpack_columns(tangent, 0, size, vectors.data());
  Vector values;
  if (!internal::dense_eigen(vectors, values)) {
    throw Error(ErrorKind::numerical, "the eigenvalues of the tangent kernel did not converge");
  }
  const double rate = 2 * time.learning_rate / static_cast<double>(target_values);
  if (rate * values[size - 1] >= 2) {
    throw Error(ErrorKind::numerical,
                fmt::format("gradient descent diverges with learning rate {:g}: it must be below {:.3g}",
                            time.learning_rate, 2 * time.learning_rate / (rate * values[size - 1])));
  }
  // In logarithms and relative to the slowest direction, since after many steps all are tiny.
  Vector left(size);
  for (Index j = 0; j < size; ++j) left[j] = time.steps * std::log(std::abs(1 - rate * std::max(values[j], 0.0)));
  left = (0.5 * (left.array() - left.maxCoeff())).exp();
  vectors *= left.asDiagonal();
  add_outer_products(vectors.data(), size, 0.0, tangent);
}

}  // namespace priorfit::internal
