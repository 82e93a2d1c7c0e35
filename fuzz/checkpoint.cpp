// Training checkpoints: as they come, and with the right checksum behind them, since none is ever found by chance.
#include "mlp/checkpoint.hpp"

#include <zlib.h>

#include "harness.hpp"
#include "priorfit/error.hpp"

namespace {

using namespace priorfit;
using namespace priorfit::internal;

internal::LayerState<float> layer(Index inputs, Index outputs) {
  const auto parameters = [](Index size) {
    const internal::Buffer<float> zeros(static_cast<std::size_t>(size));
    return internal::Parameters<float>{zeros, zeros, zeros};
  };
  return {{inputs, outputs, outputs}, parameters(inputs * outputs), parameters(outputs)};
}

void load(std::string_view bytes) {
  std::vector<internal::LayerState<float>> layers = {layer(1, 2), layer(2, 1)};
  static const fuzz::MemoryFile file;
  file.set(bytes);
  internal::BestParameters best;
  internal::load_checkpoint(file.path(), {{"network", "1-2-1"}, {"seed", "1"}}, layers, best);
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
