#include "data/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arrays/matrix_memory.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {

void Scaling::apply(Matrix& values) const {
  const Vector inverse = scale.cwiseInverse();
  for (Index r = 0; r < values.rows(); ++r) {
    values.row(r) = (values.row(r) - shift.transpose()).cwiseProduct(inverse.transpose());
  }
}

Scaling Scaling::then(const Scaling& next) const {
  return {shift + scale.cwiseProduct(next.shift), scale.cwiseProduct(next.scale)};
}

Scaling scaling_for(const ColumnStatistics& columns, Preprocess preprocess, const std::string& name) {
  const Index count = columns.mean.size();
  Scaling scaling = Scaling::identity(count);
  for (Index c = 0; c < count; ++c) {
    if (preprocess == Preprocess::none) continue;
    scaling.shift[c] = preprocess == Preprocess::unit ? columns.minimum[c] : columns.mean[c];
    if (columns.is_constant(c) || preprocess == Preprocess::center) continue;
    const double range = columns.maximum[c] - columns.minimum[c];
    scaling.scale[c] = preprocess == Preprocess::unit ? range : columns.standard_deviation[c];
    if (!std::isfinite(1.0 / scaling.scale[c]) || !std::isfinite(range)) {
      throw Error(ErrorKind::data, fmt::format("{}: column {} (from 0) spans {} to {}, which cannot be scaled", name, c,
                                               columns.minimum[c], columns.maximum[c]));
    }
  }
  return scaling;
}

bool fits_inputs(Preprocess preprocess, double pixel_maximum) {
  return preprocess != Preprocess::none && !(preprocess == Preprocess::unit && pixel_maximum > 0.0);
}

bool fits_targets(Task task) { return task == Task::regression; }

std::string constant_note(Index constant, Index features) {
  if (constant == 0) return "";
  return fmt::format("{} of {} features {} constant over the training rows and become{} 0", constant, features,
                     constant == 1 ? "is" : "are", constant == 1 ? "s" : "");
}

Samples pick(const Samples& from, const Rows& rows) {
  Samples picked;
  const auto count = static_cast<Index>(rows.size());
  check_matrix_fits(count, from.inputs.cols(), "the rows drawn");
  picked.inputs.resize(count, from.inputs.cols());
  picked.targets.resize(count, from.targets.cols());
  for (Index i = 0; i < count; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    picked.inputs.row(i) = from.inputs.row(row);
    if (from.targets.rows() > 0) picked.targets.row(i) = from.targets.row(row);
    if (!from.labels.empty()) picked.labels.push_back(from.labels[static_cast<std::size_t>(row)]);
  }
  return picked;
}

void check_targets(const PreparedData& data) {
  const std::string rows = fmt::format("the {} rows chosen", data.train.size());
  if (data.task == Task::classification) {
    const auto& labels = data.train.labels;
    if (std::all_of(labels.begin(), labels.end(), [&](int label) { return label == labels.front(); })) {
      const auto label = static_cast<std::size_t>(labels.front());
      const std::string name = label < data.output_names.size() ? data.output_names[label] : std::to_string(label);
      throw Error(ErrorKind::data, fmt::format("{}: all of {} belong to one class, '{}'; at least two are needed",
                                               data.name, rows, name));
    }
    return;
  }
  for (Index c = 0; c < data.train.targets.cols(); ++c) {
    const auto column = data.train.targets.col(c);
    if ((column.array() != column[0]).any()) continue;
    const auto output = static_cast<std::size_t>(c);
    const std::string name = output < data.output_names.size() ? data.output_names[output] : std::to_string(c);
    const double value =
        data.target_shift.size() > c ? data.target_shift[c] + data.target_scale[c] * column[0] : column[0];
    throw Error(ErrorKind::data, fmt::format("{}: target '{}' is {} in all of {}; a constant target says nothing",
                                             data.name, name, value, rows));
  }
}

}  // namespace priorfit::internal
