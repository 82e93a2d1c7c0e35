#include <fmt/format.h>

#include <algorithm>

#include "data/scaling.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "support/random.hpp"

namespace priorfit {
using namespace internal;
namespace {

using internal::Scaling;

// The map from original values that fits `columns`, statistics of values that `before` has mapped already, as the map
// that is still to be applied. A column that is constant over the rows drawn gets scale 1 on the whole.
Scaling refit(const ColumnStatistics& columns, const Scaling& before, Preprocess preprocess, const std::string& name) {
  Scaling next = internal::scaling_for(columns, preprocess, name);
  if (preprocess == Preprocess::center) return next;
  for (Index c = 0; c < next.scale.size(); ++c) {
    if (columns.is_constant(c)) next.scale[c] = 1.0 / before.scale[c];
  }
  return next;
}

// Empty in data that was put together by hand: nothing was mapped.
Scaling known_scaling(const Vector& shift, const Vector& scale, Index columns) {
  return shift.size() == columns && scale.size() == columns ? Scaling{shift, scale} : Scaling::identity(columns);
}

void refit_inputs(PreparedData& part, Index constant_before) {
  const ColumnStatistics columns = column_statistics(part.train.inputs);
  const Scaling before = known_scaling(part.preparation.input_shift, part.preparation.input_scale, part.features());
  const Scaling next = refit(columns, before, part.preprocess, part.name);
  next.apply(part.train.inputs);
  next.apply(part.test.inputs);
  const Scaling whole = before.then(next);
  part.preparation.input_shift = whole.shift;
  part.preparation.input_scale = whole.scale;
  std::erase(part.notes, internal::constant_note(constant_before, part.features()));
  const std::string note = internal::constant_note(columns.constant_columns(), part.features());
  if (!note.empty()) part.notes.push_back(note);
}

void refit_targets(PreparedData& part) {
  const Scaling before = known_scaling(part.target_shift, part.target_scale, part.outputs());
  const Scaling next =
      refit(column_statistics(part.train.targets), before, internal::target_preprocess, part.name + ", targets");
  next.apply(part.train.targets);
  next.apply(part.test.targets);
  const Scaling whole = before.then(next);
  part.target_shift = part.preparation.target_shift = whole.shift;
  part.target_scale = part.preparation.target_scale = whole.scale;
}

}  // namespace

PreparedData draw_rows(const PreparedData& data, Index samples, std::uint64_t seed) {
  if (samples < 0 || samples == 1 || samples > data.train.size()) {
    throw Error(ErrorKind::usage, fmt::format("samples is {}, but {} has {} rows to draw from (give 2 to {}, or 0 for "
                                              "all)",
                                              samples, data.name, data.train.size(), data.train.size()));
  }
  if (samples == 0 || samples == data.train.size()) return data;
  PreparedData part;
  part.name = data.name;
  part.task = data.task;
  part.rows = data.rows;
  part.seed = seed;
  part.preprocess = data.preprocess;
  part.output_names = data.output_names;
  part.test = data.test;
  part.preparation = data.preparation;
  part.preparation.rows = samples;
  part.target_shift = data.target_shift;
  part.target_scale = data.target_scale;
  part.notes = data.notes;
  part.columns = data.columns;
  part.dialect = data.dialect;
  part.train = internal::pick(
      data.train, draw_without_replacement(data.train.size(), samples, RandomStream(seed, RandomUse::rows)));
  internal::check_targets(part);
  if (internal::fits_inputs(part.preprocess, part.preparation.pixel_maximum)) {
    refit_inputs(part, column_statistics(data.train.inputs).constant_columns());
  }
  if (internal::fits_targets(part.task)) refit_targets(part);
  return part;
}

}  // namespace priorfit
