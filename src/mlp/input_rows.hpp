// A data set as training reads it: inputs and targets in the training precision, inputs without their zeros when
// enough of them are zero.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "mlp/buffer.hpp"
#include "mlp/simd_passes.hpp"
#include "priorfit/dataset.hpp"

namespace priorfit::internal {

/// A few rows of the data, ready for the engine; keeps its memory from one use to the next.
template <typename T>
struct Batch {
  Index rows = 0;
  bool sparse = false;
  Buffer<T> dense;                          // rows × features
  std::vector<SparseVector<T>> by_row;      // rows; views into the data set
  std::vector<SparseVector<T>> by_feature;  // features; views into the three arrays below
  Buffer<T> targets;                        // rows × outputs
  std::vector<int> labels;                  // rows; empty for regression

  std::vector<std::uint32_t> samples;  // the batch's non-zeros, feature by feature: sample and value
  std::vector<T> values;
  std::vector<std::uint32_t> ends;  // features
};

/// 0, 1, … count - 1.
inline std::vector<std::int64_t> all_rows(Index count) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

template <typename T>
class InputRows {
 public:
  /// Sparse when the share of non-zeros among the inputs is below `sparse_below`. The batch would be the finer place
  /// to choose, but batches are random rows of the data and share its density.
  InputRows(const Samples& samples, double sparse_below);

  Index size() const { return rows_; }
  Index features() const { return features_; }
  Index outputs() const { return outputs_; }  // targets per row; 0 where labels are all there is
  bool has_labels() const { return !labels_.empty(); }
  const Buffer<T>& targets() const { return targets_; }  // rows × outputs
  const std::vector<int>& labels() const { return labels_; }
  bool sparse() const { return sparse_; }
  double density() const { return density_; }

  /// Features that are non-zero in some row. The others never have a gradient, so Adam leaves their weights as
  /// they are: m = v = 0 and a step of 0/(0 + ε), exactly. Gradient descent does likewise; weight decay does not.
  std::span<const std::uint32_t> active_features() const { return active_; }

  /// The rows listed, in that order; `with_columns` also sorts their non-zeros by feature, as the gradient needs.
  void gather(std::span<const std::int64_t> rows, bool with_columns, Batch<T>& batch) const;

  /// CRC-32 of inputs, targets and labels: what tells a checkpoint of other data apart.
  std::uint32_t checksum() const;

 private:
  void store_sparse(const Matrix& inputs);
  void store_dense(const Matrix& inputs);
  void sort_by_feature(Batch<T>& batch) const;

  Index rows_, features_, outputs_;
  double density_ = 1.0;
  bool sparse_ = false;
  std::vector<std::uint32_t> active_;
  Buffer<T> dense_;                  // rows × features, or empty
  std::vector<std::size_t> starts_;  // rows + 1: compressed sparse rows, or empty
  std::vector<std::uint32_t> columns_;
  std::vector<T> values_;
  Buffer<T> targets_;  // rows × outputs
  std::vector<int> labels_;
};

}  // namespace priorfit::internal
