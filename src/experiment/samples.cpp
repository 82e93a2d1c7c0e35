#include "experiment/samples.hpp"

#include <fmt/format.h>
#include <zlib.h>

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
/// sets held those: stores of before go on.
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
  checksum_ = checksum_of(dataset);
  pixel_maximum_ = dataset.pixel_maximum;
  is_table_ = dataset.is_table;
  rows_ = prepare(std::move(dataset), {.samples = specification.sizes.back(),
                                       .seed = specification.seed,
                                       .preprocess = Preprocess::none,
                                       .test_fraction = specification.test_fraction});
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
  return *sample_;
}

}  // namespace priorfit::internal
