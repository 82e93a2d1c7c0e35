// PNG and JPEG pictures from memory. Sizes are read and bounded before anything is decoded; a picture that cannot be
// read is a value with the reason.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/matrix.hpp"
#include "priorfit/preparation.hpp"

namespace priorfit::internal {

enum class PictureFormat { png, jpeg };

/// By the first bytes.
std::optional<PictureFormat> picture_format(std::string_view bytes);

/// 16 million pixels; a picture that claims more is not decoded.
constexpr Index most_pixels = Index{1} << 24;

struct PictureHead {
  PictureShape shape;   // 1 channel where the file holds grey values, else 3
  std::string problem;  // why it cannot be read; empty when it can
};
PictureHead read_head(std::string_view bytes, PictureFormat format);

struct Picture {
  PictureShape shape;
  std::vector<unsigned char> bytes;  // height × width × channels
  std::string problem;
};
/// With 1 or 3 channels, as wanted; what is transparent shows white.
Picture decode(std::string_view bytes, PictureFormat format, Index channels);

/// Averages over the area that a pixel of the new size covers; one plane per channel, into
/// width × height × channels values.
void resize_into(const Picture& picture, const PictureShape& wanted, double* values);

}  // namespace priorfit::internal
