// NumPy arrays, as inputs and as targets at once.
#include "arrays/npy.hpp"

#include "harness.hpp"
#include "priorfit/dataset.hpp"

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  const fuzz::MemoryFile file(bytes);
  const fuzz::Folder folder;
  folder.add("X.npy", file);
  const std::string path = (folder.path() / "X.npy").string();
  describe(load_dataset({.source = path, .targets = path}));
}
