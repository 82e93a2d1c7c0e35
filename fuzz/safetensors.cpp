// Weight files. What is read must be written and read again as the same network, in either layout and format.
#include "mlp/safetensors.hpp"

#include <cstdlib>

#include "harness.hpp"
#include "mutate.hpp"
#include "priorfit/weights.hpp"

PRIORFIT_MUTATE(mutate_safetensors)

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  using namespace priorfit::internal;
  static const fuzz::Folder folder;
  static const std::filesystem::path path = folder.path("w.safetensors");
  folder.set("w.safetensors", bytes);
  const LoadedWeights loaded = load_weights(path);
  if (parse_weight_layout(to_string(loaded.layout)) != loaded.layout) std::abort();
  const bool as_archive = bytes.size() % 4 == 1, turned = bytes.size() % 8 > 3;
  const WeightLayout other = loaded.layout == WeightLayout::torch ? WeightLayout::keras : WeightLayout::torch;
  const std::filesystem::path copy = folder.path(as_archive ? "copy.npz" : "copy.safetensors");
  save_weights(copy, loaded.network, {.layout = turned ? other : loaded.layout, .metadata = {{"seed", "1"}}});
  const LoadedWeights again = load_weights(copy, loaded.network.spec.activation);
  if (again.network.parameters() != loaded.network.parameters()) std::abort();
  if (again.network.spec.activation != loaded.network.spec.activation) std::abort();
}
