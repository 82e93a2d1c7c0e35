#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/columns.hpp"
#include "data/scaling.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "support/random.hpp"

namespace priorfit {
namespace {

using internal::pick;
using internal::Rows;
using internal::Scaling;

constexpr Index least_rows = 2;

// Keeps the rows that are not in `removed` (ascending), in place: a copy of the rest could be most of the
// memory.
void remove_rows(Samples& samples, const Rows& removed) {
  auto next = removed.begin();
  Index kept = 0;
  for (Index row = 0; row < samples.size(); ++row) {
    if (next != removed.end() && *next == row) {
      ++next;
      continue;
    }
    if (kept != row) {
      samples.inputs.row(kept) = samples.inputs.row(row);
      samples.targets.row(kept) = samples.targets.row(row);
      if (!samples.labels.empty())
        samples.labels[static_cast<std::size_t>(kept)] = samples.labels[static_cast<std::size_t>(row)];
    }
    ++kept;
  }
  samples.inputs.conservativeResize(kept, Eigen::NoChange);
  samples.targets.conservativeResize(kept, Eigen::NoChange);
  if (!samples.labels.empty()) samples.labels.resize(static_cast<std::size_t>(kept));
}

void check_shapes(const Dataset& dataset) {
  for (const Samples* part : {&dataset.train, &dataset.test}) {
    const bool labels_fit = dataset.task == Task::regression || static_cast<Index>(part->labels.size()) == part->size();
    if (part->targets.rows() != part->size() || !labels_fit) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: inputs, targets and labels have different numbers of rows", dataset.name));
    }
  }
  if (dataset.train.size() < least_rows) {
    throw Error(ErrorKind::data, fmt::format("{}: {} row{}; at least {} are needed", dataset.name, dataset.train.size(),
                                             dataset.train.size() == 1 ? "" : "s", least_rows));
  }
  if (dataset.train.inputs.cols() == 0) throw Error(ErrorKind::data, dataset.name + ": no features");
}

void hold_out(Dataset& dataset, const PrepareOptions& options) {
  if (options.test_fraction == 0.0 || dataset.test.size() > 0) return;
  const Index rows = dataset.train.size();
  const auto wanted = static_cast<Index>(std::llround(options.test_fraction * static_cast<double>(rows)));
  const Index count = std::max<Index>(1, wanted);
  if (rows - count < least_rows) {
    throw Error(ErrorKind::usage,
                fmt::format("test_fraction {} leaves {} of {} rows for training; at least {} are needed",
                            options.test_fraction, rows - count, rows, least_rows));
  }
  const RandomStream stream(options.seed, RandomUse::test_rows);
  Rows held = draw_without_replacement(rows, count, stream);
  std::sort(held.begin(), held.end());
  dataset.test = pick(dataset.train, held);
  remove_rows(dataset.train, held);
  dataset.notes.push_back(
      fmt::format("{} of {} rows held out for testing, drawn with seed {}", count, rows, options.seed));
}

void check_finite(const Samples& samples, const std::string& name, const char* part) {
  for (const auto& [matrix, what] : {std::pair{&samples.inputs, "input"}, std::pair{&samples.targets, "target"}}) {
    for (Index r = 0; r < matrix->rows(); ++r) {
      if (matrix->row(r).allFinite()) continue;
      Index c = 0;
      while (std::isfinite((*matrix)(r, c))) ++c;
      throw Error(ErrorKind::data, fmt::format("{}: {} {} of {} row {} (from 0) is {}, not a finite number", name, what,
                                               c, part, r, (*matrix)(r, c)));
    }
  }
}

void preprocess_inputs(PreparedData& data) {
  Scaling scaling = Scaling::identity(data.features());
  if (internal::fits_inputs(data.preprocess, data.pixel_maximum)) {
    const ColumnStatistics columns = column_statistics(data.train.inputs);
    scaling = internal::scaling_for(columns, data.preprocess, data.name);
    scaling.apply(data.train.inputs);
    scaling.apply(data.test.inputs);
    const std::string note = internal::constant_note(columns.constant_columns(), data.features());
    if (!note.empty()) data.notes.push_back(note);
  } else if (data.preprocess == Preprocess::unit) {
    data.train.inputs /= data.pixel_maximum;
    data.test.inputs /= data.pixel_maximum;
    scaling.scale.setConstant(data.pixel_maximum);
  }
  data.input_shift = scaling.shift;
  data.input_scale = scaling.scale;
}

void preprocess_targets(PreparedData& data) {
  Scaling scaling = Scaling::identity(data.outputs());
  if (internal::fits_targets(data.preprocess, data.task)) {
    scaling = internal::scaling_for(column_statistics(data.train.targets), data.preprocess, data.name + ", targets");
    scaling.apply(data.train.targets);
    scaling.apply(data.test.targets);
  }
  data.target_shift = scaling.shift;
  data.target_scale = scaling.scale;
}

}  // namespace

PreparedData prepare(Dataset dataset, const PrepareOptions& options) {
  if (!(options.test_fraction >= 0.0 && options.test_fraction < 1.0)) {
    throw Error(ErrorKind::usage, fmt::format("test_fraction is {}; it must be in [0, 1)", options.test_fraction));
  }
  check_shapes(dataset);
  hold_out(dataset, options);

  PreparedData data;
  data.rows = dataset.train.size();
  if (options.samples != 0 && (options.samples < least_rows || options.samples > data.rows)) {
    throw Error(ErrorKind::usage,
                fmt::format("samples is {}, but {} has {} training rows (give {} to {}, or 0 for all)", options.samples,
                            dataset.name, data.rows, least_rows, data.rows));
  }
  if (options.samples > 0) {
    const RandomStream stream(options.seed, RandomUse::rows);
    data.train = pick(dataset.train, draw_without_replacement(data.rows, options.samples, stream));
    dataset.train = {};
  } else {
    data.train = std::move(dataset.train);
  }
  data.test = std::move(dataset.test);
  data.name = std::move(dataset.name);
  data.task = dataset.task;
  data.seed = options.seed;
  data.pixel_maximum = dataset.pixel_maximum;
  data.output_names = std::move(dataset.output_names);
  data.notes = std::move(dataset.notes);
  const Preprocess usual = dataset.pixel_maximum > 0.0 ? Preprocess::unit
                           : dataset.is_table          ? Preprocess::standardize
                                                       : Preprocess::none;
  data.preprocess = options.preprocess.value_or(usual);

  check_finite(data.train, data.name, "training");
  check_finite(data.test, data.name, "test");
  internal::check_targets(data);
  preprocess_inputs(data);
  preprocess_targets(data);
  return data;
}

}  // namespace priorfit
