// NumPy's .npz format: a zip archive of .npy files.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/npy.hpp"

namespace priorfit::internal {

class NpzFile {
 public:
  /// Error(io) when it cannot be opened, Error(data) when it is no zip archive.
  explicit NpzFile(const std::filesystem::path& path);
  ~NpzFile();

  std::vector<std::string> array_names() const;

  /// Empty when there is no such array.
  std::optional<NpyArray> read(const std::string& array) const;

  /// The first of `names` that is there.
  std::optional<NpyArray> read_any(std::initializer_list<std::string_view> names) const;

 private:
  struct Archive;
  std::unique_ptr<Archive> archive_;
};

}  // namespace priorfit::internal
