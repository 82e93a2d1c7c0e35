// The training samples of an experiment, one per size, each drawn from the one before.
#pragma once

#include <optional>
#include <string>

#include "experiment/start_key.hpp"
#include "priorfit/experiment.hpp"

namespace priorfit::internal {

/// Keeps the rows of the largest size as they were read, not the whole source, and prepares one size at a time. The
/// numbers are to the bit those of prepare() with that many samples: scaling what is scaled already would differ in
/// the last digits, and a training that was cut off could not be continued.
class ExperimentSamples {
 public:
  /// Loads the source. Throws what load_dataset() and prepare() throw.
  explicit ExperimentSamples(const ExperimentSpecification& specification);

  /// Of all that was read, so that other contents under the same name are noticed.
  const std::string& checksum() const { return checksum_; }
  Index largest() const { return rows_.train.size(); }
  Index test_rows() const { return rows_.test.size(); }
  NetworkShape shape(const NetworkSpec& network) const { return {network, rows_.features(), rows_.outputs()}; }

  /// Valid until another size is asked for.
  const PreparedData& of(Index size);
  /// Whether of(size) would end the last one.
  bool holds(Index size) const { return sample_ && sample_->train.size() == size; }

 private:
  std::optional<Preprocess> preprocess_;
  std::string checksum_;
  double pixel_maximum_ = 0.0;
  bool is_table_ = false;
  PreparedData rows_;  // of the largest size, in the order they were drawn, not scaled
  std::optional<PreparedData> sample_;
};

}  // namespace priorfit::internal
