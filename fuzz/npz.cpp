// NumPy archives, as data and as weights.
#include "harness.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "priorfit/weights.hpp"

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  const fuzz::MemoryFile file(bytes);
  const fuzz::Folder folder;
  folder.add("a.npz", file);
  const std::string path = (folder.path() / "a.npz").string();
  try {
    load_weights(path);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
  describe(load_dataset({.source = path}));
}
