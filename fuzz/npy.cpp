// NumPy arrays, as inputs and as targets at once.
#include "arrays/npy.hpp"

#include "harness.hpp"
#include "mutate.hpp"
#include "priorfit/dataset.hpp"

PRIORFIT_MUTATE(mutate_npy)

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  using namespace priorfit::internal;
  static const fuzz::Folder folder{"X.npy"};
  folder.set("X.npy", bytes);
  const std::string path = folder.path("X.npy").string();
  describe(load_dataset({.source = path, .targets = path}));
}
