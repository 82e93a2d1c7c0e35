#include "experiment/samples.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "mlp/training_checks.hpp"

namespace priorfit::internal {
namespace {

Dataset load(const ExperimentSpecification& specification) {
  Dataset dataset = load_dataset(specification.data);
  if (!specification.test.empty()) {
    LoadOptions test = specification.data;
    test.source = specification.test;
    use_as_test(dataset, load_like(dataset, test));
  }
  return dataset;
}

/// Of inputs and targets as numbers. Classes count as their encoded targets (M6), row by row, as they did when data
/// sets held those: stores that were written then go on.
std::string checksum_of(const Dataset& dataset) {
  uLong sum = 0;
  const auto add = [&sum](const double* values, Index count) {
    if (count == 0) return;  // zlib takes a null pointer as "start anew"
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(values), static_cast<std::size_t>(count) * sizeof(double));
  };
  const auto classes = static_cast<Index>(dataset.output_names.size());
  for (const Samples* part : {&dataset.train, &dataset.test}) {
    add(part->inputs.data(), part->inputs.size());
    add(part->targets.data(), part->targets.size());
    if (part->targets.size() > 0) continue;
    for (const int label : part->labels) {
      const Matrix row = encode_labels({label}, classes);
      add(row.data(), row.size());
    }
  }
  return fmt::format("{:08x}", sum);
}

Samples first_rows(const Samples& samples, Index count) {
  Samples first{samples.inputs.topRows(count), samples.targets.topRows(count), {}};
  if (!samples.labels.empty()) first.labels.assign(samples.labels.begin(), samples.labels.begin() + count);
  return first;
}

}  // namespace

ExperimentSamples::ExperimentSamples(const ExperimentSpecification& specification)
    : preprocess_(specification.preprocess) {
  Dataset dataset = load(specification);
  check_single_rows(dataset.name, dataset.train, dataset.test, dataset.output_names);
  checksum_ = checksum_of(dataset);
  pixel_maximum_ = dataset.pixel_maximum;
  is_table_ = dataset.is_table;
  rows_ = prepare(std::move(dataset), {.samples = specification.sizes.back(),
                                       .seed = specification.seed,
                                       .preprocess = Preprocess::none,
                                       .test_fraction = specification.test_fraction,
                                       .raw_targets = true});
}

const PreparedData& ExperimentSamples::of(Index size) {
  if (holds(size)) return *sample_;
  sample_.reset();  // its memory is needed for the next
  Dataset part;
  part.name = rows_.name;
  part.task = rows_.task;
  part.output_names = rows_.output_names;
  part.pixel_maximum = pixel_maximum_;
  part.is_table = is_table_;
  part.train = first_rows(rows_.train, size);  // samples are nested: these are the ones that are drawn
  part.test = rows_.test;
  part.notes = rows_.notes;
  sample_ = prepare(std::move(part), {.seed = rows_.seed, .preprocess = preprocess_});
  sample_->rows = rows_.rows;
  sample_->columns = rows_.columns;
  sample_->dialect = rows_.dialect;
  // From the source to features as for all rows, then scaled as this sample is.
  Preparation recipe = rows_.preparation;
  recipe.preprocess = sample_->preparation.preprocess;
  recipe.input_shift = std::move(sample_->preparation.input_shift);
  recipe.input_scale = std::move(sample_->preparation.input_scale);
  recipe.target_shift = std::move(sample_->preparation.target_shift);
  recipe.target_scale = std::move(sample_->preparation.target_scale);
  recipe.rows = sample_->preparation.rows;
  sample_->preparation = std::move(recipe);
  return *sample_;
}

}  // namespace priorfit::internal
