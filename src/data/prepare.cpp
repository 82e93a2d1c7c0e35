#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arrays/matrix_memory.hpp"
#include "data/column_lines.hpp"
#include "data/columns.hpp"
#include "data/encode.hpp"
#include "data/scaling.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "support/random.hpp"

namespace priorfit {
using namespace internal;
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
      if (samples.targets.rows() > 0) samples.targets.row(kept) = samples.targets.row(row);
      if (!samples.labels.empty())
        samples.labels[static_cast<std::size_t>(kept)] = samples.labels[static_cast<std::size_t>(row)];
    }
    ++kept;
  }
  samples.inputs.conservativeResize(kept, Eigen::NoChange);
  if (samples.targets.rows() > 0) samples.targets.conservativeResize(kept, Eigen::NoChange);
  if (!samples.labels.empty()) samples.labels.resize(static_cast<std::size_t>(kept));
}

void check_shapes(const Dataset& dataset) {
  for (const Samples* part : {&dataset.train, &dataset.test}) {
    const bool classes = dataset.task == Task::classification;
    const bool labels_fit = !classes || static_cast<Index>(part->labels.size()) == part->size();
    const bool targets_fit = part->targets.rows() == part->size() || (classes && part->targets.cols() == 0);
    if (!targets_fit || !labels_fit) {
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
  if (internal::fits_inputs(data.preprocess, data.preparation.pixel_maximum)) {
    const ColumnStatistics columns = column_statistics(data.train.inputs);
    scaling = internal::scaling_for(columns, data.preprocess, data.name);
    scaling.apply(data.train.inputs);
    scaling.apply(data.test.inputs);
    const std::string note = internal::constant_note(columns.constant_columns(), data.features());
    if (!note.empty()) data.notes.push_back(note);
  } else if (data.preprocess == Preprocess::unit) {
    data.train.inputs /= data.preparation.pixel_maximum;
    data.test.inputs /= data.preparation.pixel_maximum;
    return;  // one number says it all
  } else {
    return;
  }
  data.preparation.input_shift = scaling.shift;
  data.preparation.input_scale = scaling.scale;
}

void preprocess_targets(PreparedData& data, bool raw) {
  Scaling scaling = Scaling::identity(data.outputs());
  if (internal::fits_targets(data.task) && !raw) {
    scaling = internal::scaling_for(column_statistics(data.train.targets), internal::target_preprocess,
                                    data.name + ", targets");
    scaling.apply(data.train.targets);
    scaling.apply(data.test.targets);
  }
  data.target_shift = data.preparation.target_shift = scaling.shift;
  data.target_scale = data.preparation.target_scale = scaling.scale;
}

void encode_classes(Samples& samples, const Dataset& dataset) {
  const auto classes = static_cast<Index>(dataset.output_names.size());
  if (samples.targets.rows() == samples.size() && samples.targets.cols() == classes) return;
  internal::check_matrix_fits(samples.size(), classes, dataset.name + ", one column per class");
  samples.targets = encode_labels(samples.labels, classes);
}

// "14 columns became 105 features: 6 numbers, 8 categories of 99 levels"
std::string features_note(const std::vector<ColumnRecipe>& recipes) {
  Index features = 0, numbers = 0, categories = 0, levels = 0, dates = 0, filled = 0;
  for (const ColumnRecipe& recipe : recipes) {
    features += recipe.features();
    if (recipe.kind == ColumnKind::category) {
      ++categories;
      levels += recipe.features();
    } else {
      ++(recipe.kind == ColumnKind::date ? dates : numbers);
    }
    if (recipe.indicator) ++filled;
  }
  if (features == static_cast<Index>(recipes.size()) && categories == 0) return "";
  const auto counted = [](Index count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
  };
  std::string text = counted(static_cast<Index>(recipes.size()), "column became ", "columns became ") +
                     counted(features, "feature: ", "features: ") + counted(numbers, "number", "numbers");
  if (categories > 0)
    text += ", " + counted(categories, "category", "categories") + " of " + counted(levels, "level", "levels");
  if (dates > 0) text += ", " + counted(dates, "date", "dates") + " of 4 features each";
  if (filled > 0) text += ", " + counted(filled, "indicator of missing values", "indicators of missing values");
  return text;
}

// Columns of a table to features: fitted to the training rows before any are drawn, so that samples of every size have
// the same features.
void make_features(Dataset& dataset, PreparedData& data) {
  Preparation& recipe = data.preparation;
  recipe.from_table = !dataset.columns.empty();
  if (!recipe.from_table) return;
  recipe.header = dataset.dialect && dataset.dialect->header;
  recipe.dialect = dataset.dialect.value_or(TableDialect());
  for (const Column& column : dataset.columns) {
    if (!column.is_target) continue;
    recipe.target_position = column.position;
    recipe.target_is_date = column.kind == ColumnKind::date && dataset.task == Task::regression;
  }
  recipe.columns = internal::fit_columns(dataset);
  data.columns = internal::column_lines(dataset, recipe.columns);
  data.dialect = to_text(recipe.dialect);
  if (const std::string note = features_note(recipe.columns); !note.empty()) dataset.notes.push_back(note);
}

void expand_features(PreparedData& data, const Dataset& dataset) {
  if (!data.preparation.from_table) return;
  const std::vector<const Column*> used = internal::used_columns(dataset.columns);
  internal::expand(data.train.inputs, used, data.preparation.columns, data.name);
  if (data.test.size() == 0) return;
  const internal::Surprises surprises =
      internal::expand(data.test.inputs, used, data.preparation.columns, data.name + ", test rows");
  if (surprises.unseen > 0) {
    data.notes.push_back(fmt::format("{} value{} of the test rows {} a level that no training row has: all zeros",
                                     surprises.unseen, surprises.unseen == 1 ? "" : "s",
                                     surprises.unseen == 1 ? "is" : "are"));
  }
  if (surprises.missing > 0) {
    data.notes.push_back(fmt::format("{} value{} missing in test rows only, filled as in training", surprises.missing,
                                     surprises.missing == 1 ? " is" : "s are"));
  }
}

}  // namespace

PreparedData prepare(Dataset dataset, const PrepareOptions& options) {
  if (!(options.test_fraction >= 0.0 && options.test_fraction < 1.0)) {
    throw Error(ErrorKind::usage, fmt::format("test_fraction is {}; it must be in [0, 1)", options.test_fraction));
  }
  check_shapes(dataset);
  hold_out(dataset, options);

  PreparedData data;
  make_features(dataset, data);
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
  data.output_names = std::move(dataset.output_names);
  data.notes = std::move(dataset.notes);
  const Preprocess usual = dataset.pixel_maximum > 0.0 ? Preprocess::unit
                           : dataset.is_table          ? Preprocess::standardize
                                                       : Preprocess::none;
  data.preprocess = options.preprocess.value_or(usual);

  if (data.task == Task::classification) {
    // What is drawn is encoded, and nothing else.
    dataset.output_names = data.output_names;
    dataset.name = data.name;
    encode_classes(data.train, dataset);
    encode_classes(data.test, dataset);
  }
  expand_features(data, dataset);
  Preparation& recipe = data.preparation;
  recipe.task = data.task;
  recipe.target = dataset.target_name;
  recipe.outputs = data.output_names;
  recipe.preprocess = data.preprocess;
  recipe.pixel_maximum = dataset.pixel_maximum;
  recipe.pictures = dataset.pictures;
  recipe.rows = data.train.size();
  check_finite(data.train, data.name, "training");
  check_finite(data.test, data.name, "test");
  internal::check_targets(data);
  preprocess_inputs(data);
  preprocess_targets(data, options.raw_targets);
  return data;
}

}  // namespace priorfit
