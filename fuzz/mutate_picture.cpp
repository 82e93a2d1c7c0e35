// PNG pictures whose checksums are right, and JPEG pictures that begin as such.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "mutate.hpp"

namespace priorfit::fuzz {
namespace {

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";

struct Chunk {
  std::string type, data;
};

std::size_t number(std::string_view bytes) {
  std::size_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

std::string number_bytes(std::size_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::vector<Chunk> chunks_of(std::string_view bytes) {
  std::vector<Chunk> chunks;
  bytes.remove_prefix(signature.size());
  while (bytes.size() >= 12 && chunks.size() < 1000) {
    const std::size_t size = std::min(number(bytes), bytes.size() - 12);
    chunks.push_back({std::string(bytes.substr(4, 4)), std::string(bytes.substr(8, size))});
    bytes.remove_prefix(12 + size);
  }
  return chunks;
}

std::string png_of(const std::vector<Chunk>& chunks) {
  std::string bytes(signature);
  for (const Chunk& chunk : chunks) {
    const std::string held = chunk.type + chunk.data;
    bytes += number_bytes(chunk.data.size()) + held;
    bytes += number_bytes(crc32_z(0, reinterpret_cast<const Bytef*>(held.data()), held.size()));
  }
  return bytes;
}

/// The values of the picture, with the byte of the filter before each row.
void change_values(Chunk& chunk, std::size_t largest, Random& random) {
  std::string values(std::min<std::size_t>(64 * largest, 1'000'000), '\0');
  uLongf size = values.size();
  if (uncompress(reinterpret_cast<Bytef*>(values.data()), &size, reinterpret_cast<const Bytef*>(chunk.data.data()),
                 chunk.data.size()) != Z_OK) {
    return mutate_bytes(chunk.data, largest, random);
  }
  values.resize(size);
  mutate_bytes(values, std::max<std::size_t>(values.size() + 64, 256), random);
  uLongf packed = compressBound(values.size());
  chunk.data.resize(packed);
  compress2(reinterpret_cast<Bytef*>(chunk.data.data()), &packed, reinterpret_cast<const Bytef*>(values.data()),
            values.size(), 6);
  chunk.data.resize(packed);
}

/// Width, height, bits of a value, kind of colour, interlacing.
void change_head(Chunk& chunk, Random& random) {
  constexpr std::array<std::size_t, 8> sides = {0, 1, 2, 3, 8, 200, 16777216, 2147483647};
  constexpr std::array<char, 6> bits = {1, 2, 4, 8, 16, 3}, colours = {0, 2, 3, 4, 6, 1};
  chunk.data.resize(13);
  switch (pick(random, 5)) {
    case 0: chunk.data.replace(0, 4, number_bytes(sides[pick(random, sides.size())])); break;
    case 1: chunk.data.replace(4, 4, number_bytes(sides[pick(random, sides.size())])); break;
    case 2: chunk.data[8] = bits[pick(random, bits.size())]; break;
    case 3: chunk.data[9] = colours[pick(random, colours.size())]; break;
    default: chunk.data[12] = static_cast<char>(pick(random, 3));
  }
}

std::string mutate_png(std::string_view bytes, std::size_t largest, Random& random) {
  constexpr std::array<const char*, 12> types = {"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA",
                                                 "cHRM", "sRGB", "iCCP", "bKGD", "sBIT", "tEXt"};
  std::vector<Chunk> chunks = chunks_of(bytes);
  if (chunks.empty()) return mutate_blindly(bytes, largest, random);
  const std::size_t chosen = pick(random, chunks.size());
  Chunk& chunk = chunks[chosen];
  switch (pick(random, 10)) {
    case 0: chunk.type = types[pick(random, types.size())]; break;
    case 1: chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(chosen)); break;
    case 2: chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(chosen), Chunk(chunk)); break;
    case 3: {
      std::string data(pick(random, 40), '\1');
      mutate_bytes(data, 800, random);
      chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(chosen), {types[pick(random, types.size())], data});
      break;
    }
    case 4: std::swap(chunk, chunks[pick(random, chunks.size())]); break;
    case 5: mutate_bytes(chunk.data, largest, random); break;
    case 6:
    case 7: change_head(chunks.front(), random); break;
    default:
      for (Chunk& other : chunks) {
        if (other.type == "IDAT") {
          change_values(other, largest, random);
          break;
        }
      }
  }
  return png_of(chunks);
}

}  // namespace

std::string mutate_picture(std::string_view bytes, std::size_t largest, Random& random) {
  if (bytes.starts_with(signature)) return mutate_png(bytes, largest, random);
  if (!bytes.starts_with("\xFF\xD8\xFF") || largest < 4) return mutate_blindly(bytes, largest, random);
  return std::string(bytes.substr(0, 2)) + mutate_blindly(bytes.substr(2), largest - 2, random);
}

}  // namespace priorfit::fuzz
