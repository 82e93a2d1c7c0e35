// JPEG by libjpeg, whose errors jump: kept apart from everything that jumps must not cross.
#pragma once

#include <string_view>

#include "data/picture.hpp"

namespace priorfit::internal {

PictureHead jpeg_head(std::string_view bytes);
/// Of the size that jpeg_head() told, with 1 or 3 channels.
Picture decode_jpeg(std::string_view bytes, const PictureShape& shape);

}  // namespace priorfit::internal
