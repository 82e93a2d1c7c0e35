#include "data/picture.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>

#include "data/jpeg.hpp"

namespace priorfit::internal {
namespace {

// libpng's own error text, kept while its state goes.
std::string png_problem(png_image& image) {
  std::string text = image.message;
  png_image_free(&image);
  return text.empty() ? "damaged" : text;
}

bool begin_png(png_image& image, std::string_view bytes) {
  image = {};
  image.version = PNG_IMAGE_VERSION;
  return png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) != 0;
}

/// libpng takes memory for a chunk as long as it says it is, before the bytes come. Empty where all of them fit.
std::string overlong_chunk(std::string_view bytes) {
  constexpr std::size_t signature = 8, frame = 12;  // length, name and checksum of a chunk
  for (std::size_t place = signature; place + frame <= bytes.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(bytes[place + i]);
    const std::size_t left = bytes.size() - place - frame;
    if (length > left) return fmt::format("cut short: a part of it says {} bytes, and {} are left", length, left);
    place += frame + length;
  }
  return "";
}

PictureHead png_head(std::string_view bytes) {
  if (std::string problem = overlong_chunk(bytes); !problem.empty()) return {{}, std::move(problem)};
  png_image image;
  if (!begin_png(image, bytes)) return {{}, png_problem(image)};
  const bool colour = (image.format & PNG_FORMAT_FLAG_COLOR) != 0;
  PictureHead head{{Index{image.width}, Index{image.height}, colour ? 3 : 1}, ""};
  png_image_free(&image);
  return head;
}

Picture decode_png(std::string_view bytes, const PictureShape& shape) {
  // Memory first: what throws must not leave libpng's state behind.
  Picture picture{shape, std::vector<unsigned char>(static_cast<std::size_t>(shape.values())), ""};
  png_image image;
  if (!begin_png(image, bytes)) {
    picture.problem = png_problem(image);
    return picture;
  }
  image.format = shape.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // 16 bits mean what 8 mean, only finer
  const png_color white = {255, 255, 255};
  if (png_image_finish_read(&image, &white, picture.bytes.data(), 0, nullptr) == 0) {
    picture.problem = png_problem(image);
  }
  return picture;
}

// The part of each old pixel in each new one, along one side.
struct Share {
  Index first = 0;              // old pixel
  std::vector<double> weights;  // of it and those behind it; their sum is 1
};

std::vector<Share> shares(Index before, Index after) {
  std::vector<Share> result(static_cast<std::size_t>(after));
  const double ratio = static_cast<double>(before) / static_cast<double>(after);
  for (Index i = 0; i < after; ++i) {
    const double begin = static_cast<double>(i) * ratio, end = static_cast<double>(i + 1) * ratio;
    Share& share = result[static_cast<std::size_t>(i)];
    share.first = std::min(static_cast<Index>(begin), before - 1);
    const Index last = std::min(static_cast<Index>(std::ceil(end)), before);
    for (Index p = share.first; p < std::max(last, share.first + 1); ++p) {
      const auto left = static_cast<double>(p);
      share.weights.push_back(std::max(0.0, std::min(end, left + 1.0) - std::max(begin, left)) / ratio);
    }
  }
  return result;
}

}  // namespace

std::optional<PictureFormat> picture_format(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return PictureFormat::png;
  if (bytes.starts_with("\xFF\xD8\xFF")) return PictureFormat::jpeg;
  return std::nullopt;
}

PictureHead read_head(std::string_view bytes, PictureFormat format) {
  PictureHead head = format == PictureFormat::png ? png_head(bytes) : jpeg_head(bytes);
  const Index width = head.shape.width, height = head.shape.height;
  if (head.problem.empty() && (width < 1 || height < 1 || width > most_pixels / height)) {
    head.problem = fmt::format("{} × {} pixels; at most {} are read", width, height, most_pixels);
  }
  return head;
}

Picture decode(std::string_view bytes, PictureFormat format, Index channels) {
  PictureHead head = read_head(bytes, format);
  if (!head.problem.empty()) return {head.shape, {}, head.problem};
  head.shape.channels = channels;
  return format == PictureFormat::png ? decode_png(bytes, head.shape) : decode_jpeg(bytes, head.shape);
}

void resize_into(const Picture& picture, const PictureShape& wanted, double* values) {
  const auto [width, height, channels] = picture.shape;
  const std::vector<Share> across = shares(width, wanted.width), down = shares(height, wanted.height);
  std::fill_n(values, wanted.values(), 0.0);
  for (Index y = 0; y < wanted.height; ++y) {
    const Share& rows = down[static_cast<std::size_t>(y)];
    for (std::size_t r = 0; r < rows.weights.size(); ++r) {
      const unsigned char* row = picture.bytes.data() + (rows.first + static_cast<Index>(r)) * width * channels;
      for (Index x = 0; x < wanted.width; ++x) {
        const Share& columns = across[static_cast<std::size_t>(x)];
        for (Index c = 0; c < channels; ++c) {
          double sum = 0.0;
          const unsigned char* pixel = row + columns.first * channels + c;
          for (const double weight : columns.weights) {
            sum += weight * *pixel;
            pixel += channels;
          }
          values[(c * wanted.height + y) * wanted.width + x] += rows.weights[r] * sum;
        }
      }
    }
  }
}

}  // namespace priorfit::internal
