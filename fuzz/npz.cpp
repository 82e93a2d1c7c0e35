// NumPy archives, as data and as weights. What is read must be written and read again as the same.
#include "arrays/npz.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>

#include "arrays/npz_archive.hpp"
#include "harness.hpp"
#include "mutate.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "priorfit/weights.hpp"

PRIORFIT_MUTATE(mutate_npz)

namespace {

using namespace priorfit;
using namespace priorfit::internal;

template <typename Work>
void unless_refused(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
}

void weights(const fuzz::Folder& folder, const std::string& path) {
  const LoadedWeights loaded = load_weights(path);
  const std::filesystem::path copy = folder.path("copy.npz");
  save_weights(copy, loaded.network, {.layout = loaded.layout});
  if (load_weights(copy).network.parameters() != loaded.network.parameters()) std::abort();
}

/// Every array by its name, and once more from an archive of its own.
void arrays(const fuzz::Folder& folder, const std::string& path) {
  const NpzFile file(path);
  for (const std::string& name : file.array_names()) {
    const std::optional<NpyArray> array = file.read_any({name + "?", name});
    if (!array || array->header.type.is_text()) continue;
    folder.set("copy.npz", npz_archive({{"a", npy_bytes(array->values, array->header.shape)}}));
    const std::optional<NpyArray> again = NpzFile(folder.path("copy.npz")).read("a");
    if (!again || again->values.size() != array->values.size()) std::abort();
    for (Index i = 0; i < array->values.size(); ++i) {
      const double before = array->values.data()[i], after = again->values.data()[i];
      if (before != after && !(std::isnan(before) && std::isnan(after))) std::abort();
    }
    return;  // one is enough; all are read as data
  }
}

}  // namespace

PRIORFIT_FUZZ(bytes) {
  static const fuzz::Folder folder;
  static const std::string path = folder.path("a.npz").string();
  folder.set("a.npz", bytes);
  unless_refused([] { weights(folder, path); });
  unless_refused([] { arrays(folder, path); });
  if (bytes.size() % 4 == 3) {  // by their names, too few or too many of them now and then
    unless_refused([&] {
      std::vector<std::string> names = NpzFile(path).array_names();
      if (bytes.size() % 32 == 3) names.push_back("X_tset");
      if (names.size() > 2 && bytes.size() % 8 == 7) names.resize(names.size() > 4 ? 4 : 2);
      describe(load_dataset({.source = path, .arrays = names}));
    });
  }
  describe(load_dataset({.source = path}));
}
