#include "mlp/npz_writer.hpp"

#include "arrays/npy.hpp"
#include "arrays/npz_archive.hpp"

namespace priorfit::internal {

std::string npz_bytes(const std::vector<Tensor>& tensors) {
  std::vector<NpzEntry> entries;
  entries.reserve(tensors.size());
  for (const Tensor& tensor : tensors) entries.push_back({tensor.name, npy_bytes(tensor.values.data(), tensor.shape)});
  return npz_archive(entries);
}

}  // namespace priorfit::internal
