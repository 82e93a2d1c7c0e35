#include "risk/equal_rows.hpp"

#include <algorithm>
#include <numeric>

namespace priorfit::internal {

EqualRows find_equal_rows(const MatrixView& inputs) {
  const Index rows = inputs.rows();
  const auto row = [&](Index i) { return inputs.data() + i * inputs.outerStride(); };
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::lexicographical_compare(row(a), row(a) + inputs.cols(), row(b), row(b) + inputs.cols());
  });
  std::vector<Index> twin(static_cast<std::size_t>(rows));  // the first of those that are the same
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && std::equal(row(order[k]), row(order[k]) + inputs.cols(), row(order[k - 1]));
    twin[std::size_t(order[k])] = same ? twin[std::size_t(order[k - 1])] : order[k];
  }
  EqualRows equal;
  std::vector<double> counts;
  for (Index i = 0; i < rows; ++i) {
    const Index first = twin[std::size_t(i)];
    if (first == i) {
      equal.group.push_back(static_cast<Index>(equal.first.size()));
      equal.first.push_back(i);
      counts.push_back(1.0);
    } else {
      equal.group.push_back(equal.group[std::size_t(first)]);
      counts[std::size_t(equal.group.back())] += 1.0;
    }
  }
  equal.counts = Eigen::Map<const Vector>(counts.data(), static_cast<Index>(counts.size()));
  return equal;
}

Matrix first_rows(const EqualRows& rows, const MatrixView& values) { return values(rows.first, Eigen::all); }

Matrix mean_rows(const EqualRows& rows, const MatrixView& values) {
  Matrix means = Matrix::Zero(rows.counts.size(), values.cols());
  for (Index i = 0; i < values.rows(); ++i) means.row(rows.group[std::size_t(i)]) += values.row(i);
  return rows.counts.cwiseInverse().asDiagonal() * means;
}

}  // namespace priorfit::internal
