// A training run cut at a batch boundary, as a file: with it the run goes on as if it had never stopped.
//
// Layout: 16 bytes of magic, the header's length (8 bytes, little-endian), a JSON header, then for each layer the
// weights' values, first and second moments and the biases' likewise, as float32 in the order training holds them
// (panels.hpp), and the CRC-32 (4 bytes) of all that precedes.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "mlp/panels.hpp"

namespace priorfit::mlp {

/// Everything that shapes a run's trajectory, by name. Two runs with the same identity give the same bytes.
using RunIdentity = std::vector<std::pair<std::string, std::string>>;

/// Where a run stands.
struct RunPosition {
  Index epoch = 0;             // epochs finished
  Index batch = 0;             // batches of the next epoch finished
  double squared_error = 0.0;  // summed over those batches
  Index correct = 0;
  std::uint64_t steps = 0;  // Adam steps since the start
  std::vector<EpochRecord> history;
};

void save_checkpoint(const std::filesystem::path& path, const RunIdentity& identity, const RunPosition& position,
                     const std::vector<LayerState<float>>& layers);

/// Fills `layers`, whose shapes are known from the network. Throws Error(data) when the file is damaged or cut short,
/// Error(usage) when it belongs to a run with another identity, naming the first difference.
RunPosition load_checkpoint(const std::filesystem::path& path, const RunIdentity& identity,
                            std::vector<LayerState<float>>& layers);

}  // namespace priorfit::mlp
