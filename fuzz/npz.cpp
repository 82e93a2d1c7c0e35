// NumPy archives, as data and as weights.
#include "harness.hpp"
#include "mutate.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "priorfit/weights.hpp"

PRIORFIT_MUTATE(mutate_npz)

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  static const fuzz::Folder folder{"a.npz"};
  folder.set("a.npz", bytes);
  const std::string path = folder.path("a.npz").string();
  try {
    load_weights(path);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
  describe(load_dataset({.source = path}));
}
