// A training run cut at a batch boundary, as a file: with it the run goes on as if it had never stopped.
//
// Layout: 16 bytes of magic, the header's length (8 bytes, little-endian), a JSON header, then for each layer the
// weights' values, first and second moments and the biases' likewise, as float32 in the order training holds them
// (panels.hpp; moments that the optimiser does not keep are left out), then the best weights and biases so far where
// validation has found some, and the CRC-32 (4 bytes) of all that precedes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mlp/panels.hpp"
#include "mlp/run_identity.hpp"

namespace priorfit::internal {

/// Where a run stands.
struct RunPosition {
  Index epoch = 0;          // epochs finished
  Index batch = 0;          // batches of the next epoch finished
  double loss_sum = 0.0;    // over the samples of those batches
  Index correct = 0;        // likewise
  std::uint64_t steps = 0;  // of the optimiser since the start
  std::vector<EpochRecord> history;
  std::optional<Index> best_epoch;     // that validates best
  std::optional<LayerFault> vanished;  // see TrainingSummary
};

/// Weights and biases of each layer in turn, in panels; empty when there are none.
using BestParameters = std::vector<Buffer<float>>;
BestParameters parameter_values(const std::vector<LayerState<float>>& layers);

void save_checkpoint(const std::filesystem::path& path, const RunIdentity& identity, const RunPosition& position,
                     const std::vector<LayerState<float>>& layers, const BestParameters& best);

/// Fills `layers`, whose shapes are known from the network, and `best`. Throws Error(data) when the file is damaged or
/// cut short, Error(usage) when it belongs to a run with another identity, naming the first difference.
RunPosition load_checkpoint(const std::filesystem::path& path, const RunIdentity& identity,
                            std::vector<LayerState<float>>& layers, BestParameters& best);

}  // namespace priorfit::internal
