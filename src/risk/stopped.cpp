#include "risk/stopped.hpp"

#include <fmt/format.h>
#include <lapack.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "priorfit/error.hpp"

namespace priorfit {

void stop_training(PackedSymmetric& tangent, Index outputs, const TrainingTime& time) {
  const Index size = tangent.size();
  Eigen::MatrixXd vectors(size, size);
  unpack_columns(tangent, 0, size, vectors.data());
  Vector values(size);
  const auto order = static_cast<lapack_int>(size);
  lapack_int failed = 0, work_size = -1, whole_size = -1, whole_best = 0;
  double best = 0.0;
  LAPACK_dsyevd("V", "L", &order, vectors.data(), &order, values.data(), &best, &work_size, &whole_best, &whole_size,
                &failed);
  std::vector<double> work(static_cast<std::size_t>(best));
  std::vector<lapack_int> whole(static_cast<std::size_t>(whole_best));
  work_size = static_cast<lapack_int>(work.size());
  whole_size = whole_best;
  LAPACK_dsyevd("V", "L", &order, vectors.data(), &order, values.data(), work.data(), &work_size, whole.data(),
                &whole_size, &failed);
  if (failed != 0) {
    throw Error(ErrorKind::numerical, "the eigenvalues of the tangent kernel did not converge");
  }
  const double rate = 2 * time.learning_rate / (static_cast<double>(size) * static_cast<double>(outputs));
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

}  // namespace priorfit
