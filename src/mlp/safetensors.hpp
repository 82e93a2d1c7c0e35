// The safetensors format: 8 bytes of header length (little-endian), a JSON header that gives each tensor's type, shape
// and place, padded with spaces, and the tensors' bytes one after the other, row-major, little-endian, without gaps.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "priorfit/matrix.hpp"
#include "support/file_io.hpp"

namespace priorfit::internal {

struct Tensor {
  std::string name;
  std::vector<Index> shape;
  std::vector<float> values;
};

using Metadata = std::map<std::string, std::string>;

struct SafetensorsFile {
  std::vector<Tensor> tensors;  // in the order of their bytes
  Metadata metadata;
};

/// A complete file.
std::string safetensors_bytes(const std::vector<Tensor>& tensors, const Metadata& metadata);

/// Accepts float32 tensors only. Throws Error(data), naming source and tensor, when the file departs from the format in
/// any way: header over 2 MB or beyond the end, sizes that do not fit shapes, gaps, overlaps, bytes left over.
SafetensorsFile read_safetensors(ByteSource& source);

}  // namespace priorfit::internal
