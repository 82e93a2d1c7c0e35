// NumPy's .npz, written: a zip archive of .npy files, stored without compression (random weights do not compress).
#pragma once

#include <string>
#include <vector>

#include "mlp/safetensors.hpp"

namespace priorfit::internal {

/// A complete file; np.load(…, allow_pickle=False) gives the arrays in this order. No time of writing is kept, so the
/// same arrays give the same bytes.
std::string npz_bytes(const std::vector<Tensor>& tensors);

}  // namespace priorfit::internal
