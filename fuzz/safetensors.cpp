// Weight files. What is read must be written and read again as the same network.
#include "mlp/safetensors.hpp"

#include <cstdlib>

#include "harness.hpp"
#include "mutate.hpp"
#include "priorfit/weights.hpp"

PRIORFIT_MUTATE(mutate_safetensors)

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  using namespace priorfit::internal;
  static const fuzz::Folder folder{"w.safetensors"};
  folder.set("w.safetensors", bytes);
  const LoadedWeights loaded = load_weights(folder.path("w.safetensors"));
  const std::filesystem::path copy = folder.path("copy.safetensors");
  save_weights(copy, loaded.network, {.layout = loaded.layout});
  if (load_weights(copy).network.parameters() != loaded.network.parameters()) std::abort();
}
