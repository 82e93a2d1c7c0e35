// NumPy's .npz, written: a zip archive of .npy files, stored without compression.
#pragma once

#include <string>
#include <vector>

namespace priorfit::internal {

struct NpzEntry {
  std::string name;   // of the array
  std::string bytes;  // an npy file; must live until the archive is made
};

/// A complete file; np.load(…, allow_pickle=False) gives the arrays in this order. No time of writing is kept, so the
/// same arrays give the same bytes.
std::string npz_archive(const std::vector<NpzEntry>& entries);

}  // namespace priorfit::internal
