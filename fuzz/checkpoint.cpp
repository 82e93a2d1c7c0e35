// Training checkpoints: as they come, and with the right checksum behind them, since none is ever found by chance. What
// is read must be written, read and written again as the same bytes.
#include "mlp/checkpoint.hpp"

#include <zlib.h>

#include <cstdlib>

#include "harness.hpp"
#include "memory_files.hpp"
#include "mutate.hpp"
#include "priorfit/error.hpp"

PRIORFIT_MUTATE(mutate_checkpoint)

namespace {

using namespace priorfit;
using namespace priorfit::internal;

const RunIdentity identity = {{"network", "1-2-1"}, {"seed", "1"}};

LayerState<float> layer(Index inputs, Index outputs) {
  const auto parameters = [](Index size) {
    const Buffer<float> zeros(static_cast<std::size_t>(size));
    return Parameters<float>{zeros, zeros, zeros};
  };
  return {{inputs, outputs, outputs}, parameters(inputs * outputs), parameters(outputs)};
}

struct Run {
  std::vector<LayerState<float>> layers = {layer(1, 2), layer(2, 1)};
  BestParameters best;
  RunPosition position;

  explicit Run(const std::filesystem::path& path) { position = load_checkpoint(path, identity, layers, best); }
  std::string written(const std::filesystem::path& path) const {
    save_checkpoint(path, identity, position, layers, best);
    return *fuzz::find_file(path);
  }
};

void load(std::string_view bytes) {
  static const fuzz::Folder folder;
  static const std::filesystem::path path = folder.path("c"), copy = folder.path("copy");
  folder.set("c", bytes);
  const std::string written = Run(path).written(copy);
  if (Run(copy).written(copy) != written) std::abort();
}

}  // namespace

PRIORFIT_FUZZ(bytes) {
  try {
    load(bytes);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
  const auto sum = static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  load(std::string(bytes).append(reinterpret_cast<const char*>(&sum), sizeof sum));
}
