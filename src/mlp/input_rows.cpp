#include "mlp/input_rows.hpp"

#include <algorithm>
#include <array>

#include "support/checksum.hpp"

namespace priorfit::internal {
namespace {

std::size_t count_nonzeros(const Matrix& inputs) { return static_cast<std::size_t>((inputs.array() != 0.0).count()); }

}  // namespace

template <typename T>
InputRows<T>::InputRows(const Samples& samples, double sparse_below)
    : rows_(samples.size()),
      features_(samples.inputs.cols()),
      outputs_(samples.targets.rows() == rows_ ? samples.targets.cols() : 0),
      labels_(samples.labels) {
  const auto count = static_cast<double>(samples.inputs.size());
  density_ = count > 0 ? static_cast<double>(count_nonzeros(samples.inputs)) / count : 1.0;
  sparse_ = density_ < sparse_below;
  if (sparse_) {
    store_sparse(samples.inputs);
  } else {
    store_dense(samples.inputs);
  }
  targets_.resize(static_cast<std::size_t>(samples.targets.size()));
  std::transform(samples.targets.data(), samples.targets.data() + samples.targets.size(), targets_.begin(),
                 [](double value) { return static_cast<T>(value); });
}

template <typename T>
void InputRows<T>::store_dense(const Matrix& inputs) {
  dense_.resize(static_cast<std::size_t>(inputs.size()));
  std::transform(inputs.data(), inputs.data() + inputs.size(), dense_.begin(),
                 [](double value) { return static_cast<T>(value); });
}

template <typename T>
void InputRows<T>::store_sparse(const Matrix& inputs) {
  const std::size_t nonzeros = count_nonzeros(inputs);
  columns_.reserve(nonzeros);
  values_.reserve(nonzeros);
  starts_.reserve(static_cast<std::size_t>(rows_) + 1);
  starts_.push_back(0);
  std::vector<char> seen(static_cast<std::size_t>(features_), 0);
  for (Index row = 0; row < rows_; ++row) {
    for (Index feature = 0; feature < features_; ++feature) {
      const auto value = static_cast<T>(inputs(row, feature));
      if (value == T{0}) continue;
      seen[static_cast<std::size_t>(feature)] = 1;
      columns_.push_back(static_cast<std::uint32_t>(feature));
      values_.push_back(value);
    }
    starts_.push_back(values_.size());
  }
  for (std::size_t feature = 0; feature < seen.size(); ++feature) {
    if (seen[feature]) active_.push_back(static_cast<std::uint32_t>(feature));
  }
}

template <typename T>
void InputRows<T>::gather(std::span<const std::int64_t> rows, bool with_columns, Batch<T>& batch) const {
  batch.rows = static_cast<Index>(rows.size());
  batch.sparse = sparse_;
  batch.targets.resize(rows.size() * static_cast<std::size_t>(outputs_));
  batch.labels.resize(labels_.empty() ? 0 : rows.size());
  if (sparse_) {
    batch.by_row.resize(rows.size());
  } else {
    batch.dense.resize(rows.size() * static_cast<std::size_t>(features_));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    const auto at = static_cast<Index>(i);
    std::copy_n(targets_.data() + rows[i] * outputs_, outputs_, batch.targets.data() + at * outputs_);
    if (!labels_.empty()) batch.labels[i] = labels_[row];
    if (sparse_) {
      const std::size_t start = starts_[row];
      batch.by_row[i] = {columns_.data() + start, values_.data() + start, starts_[row + 1] - start};
    } else {
      std::copy_n(dense_.data() + rows[i] * features_, features_, batch.dense.data() + at * features_);
    }
  }
  if (sparse_ && with_columns) sort_by_feature(batch);
}

template <typename T>
void InputRows<T>::sort_by_feature(Batch<T>& batch) const {
  batch.ends.assign(static_cast<std::size_t>(features_), 0);
  for (const SparseVector<T>& row : batch.by_row) {
    for (std::size_t e = 0; e < row.count; ++e) ++batch.ends[row.indices[e]];
  }
  std::uint32_t total = 0;
  for (std::uint32_t& end : batch.ends) {
    const std::uint32_t count = end;
    end = total;  // the start for now; filling moves it to the end
    total += count;
  }
  batch.samples.resize(total);
  batch.values.resize(total);
  for (std::size_t sample = 0; sample < batch.by_row.size(); ++sample) {
    const SparseVector<T>& row = batch.by_row[sample];
    for (std::size_t e = 0; e < row.count; ++e) {
      const std::uint32_t at = batch.ends[row.indices[e]]++;
      batch.samples[at] = static_cast<std::uint32_t>(sample);
      batch.values[at] = row.values[e];
    }
  }
  batch.by_feature.resize(static_cast<std::size_t>(features_));
  std::uint32_t start = 0;
  for (std::size_t feature = 0; feature < batch.by_feature.size(); ++feature) {
    const std::uint32_t end = batch.ends[feature];
    batch.by_feature[feature] = {batch.samples.data() + start, batch.values.data() + start, end - start};
    start = end;
  }
}

template <typename T>
std::uint32_t InputRows<T>::checksum() const {
  using internal::add_to_checksum;
  const std::array<Index, 3> shape = {rows_, features_, outputs_};
  std::uint32_t checksum = add_to_checksum(0, shape);
  checksum = add_to_checksum(checksum, dense_);
  checksum = add_to_checksum(checksum, starts_);
  checksum = add_to_checksum(checksum, columns_);
  checksum = add_to_checksum(checksum, values_);
  checksum = add_to_checksum(checksum, targets_);
  return add_to_checksum(checksum, labels_);
}

template class InputRows<float>;
template class InputRows<double>;

}  // namespace priorfit::internal
