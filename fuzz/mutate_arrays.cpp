// NumPy's arrays and archives of them.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "mutate.hpp"

namespace priorfit::fuzz {
namespace {

struct Array {
  char version = 1;
  std::string type = "<f8";
  bool fortran_order = false;
  std::vector<std::uint64_t> shape = {3, 2};
  std::string header;  // as it was found; written anew where it is empty
  std::string values;
};

constexpr std::array types = {"<f8", "<f4", "<f2", ">f8", ">f4", "|V2", "bfloat16", "|b1", "|u1", "|i1",  "<i2", ">i2",
                              "<i4", "<i8", ">u8", "<u4", "=f8", "|S3", "<U2",      ">U1", "|O",  "<c16", "<M8"};
constexpr std::array sizes = {
    0ULL, 1ULL, 2ULL, 3ULL, 4ULL, 7ULL, 8ULL, 28ULL, 100ULL, 1000ULL, 65536ULL, 4294967296ULL, 9223372036854775807ULL};

std::uint64_t width_of(const std::string& type) {
  if (type == "bfloat16") return 2;
  std::uint64_t width = 0;
  for (const char c : type.substr(std::min<std::size_t>(2, type.size()))) {
    if (c >= '0' && c <= '9') width = width * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return type.size() > 1 && type[1] == 'U' ? 4 * width : width;
}

Array parse(std::string_view bytes) {
  Array array;
  if (bytes.size() < 12 || bytes.substr(0, 6) != "\x93NUMPY") {
    array.values = bytes;
    return array;
  }
  array.version = bytes[6];
  const std::size_t prefix = array.version == 1 ? 10 : 12;
  const std::size_t length = static_cast<unsigned char>(bytes[8]) | static_cast<unsigned char>(bytes[9]) << 8;
  array.header = bytes.substr(prefix, std::min(length, bytes.size() - prefix));
  array.values = bytes.substr(prefix + array.header.size());
  if (const std::size_t at = array.header.find("'descr': '"); at != std::string::npos) {
    const std::size_t end = array.header.find('\'', at + 10);
    if (end != std::string::npos && end - at < 24) array.type = array.header.substr(at + 10, end - at - 10);
  }
  array.fortran_order = array.header.find("True") != std::string::npos;
  if (const std::size_t at = array.header.find("'shape': ("); at != std::string::npos) {
    array.shape.clear();
    std::uint64_t size = 0;
    bool any = false;
    for (std::size_t i = at + 10; i < array.header.size() && array.shape.size() < 40; ++i) {
      const char c = array.header[i];
      if (c >= '0' && c <= '9') {
        size = size * 10 + static_cast<std::uint64_t>(c - '0');
        any = true;
      } else if (any) {
        array.shape.push_back(size);
        size = 0;
        any = false;
      }
      if (c == ')') break;
    }
  }
  return array;
}

std::string written(const Array& array, Random& random) {
  std::string header = array.header;
  if (header.empty()) {
    header =
        "{'descr': '" + array.type + "', 'fortran_order': " + (array.fortran_order ? "True" : "False") + ", 'shape': (";
    for (const std::uint64_t size : array.shape) header += std::to_string(size) + ", ";
    header += "), }";
    if (pick(random, 4) != 0) header.append(63 - (10 + header.size()) % 64, ' ').append("\n");
  }
  std::size_t length = header.size();
  if (pick(random, 32) == 0) length += pick(random, 3) - 1;
  std::string bytes = "\x93NUMPY";
  bytes += {array.version, '\0', static_cast<char>(length), static_cast<char>(length >> 8)};
  if (array.version != 1) bytes += {static_cast<char>(length >> 16), '\0'};
  return bytes + header + array.values;
}

/// As many values as the shape has, where that is a number of bytes one may have.
void fit_values(Array& array, std::size_t largest, Random& random) {
  std::uint64_t bytes = width_of(array.type);
  for (const std::uint64_t size : array.shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return;
  }
  if (bytes > largest || bytes + 200 > largest) return;
  const std::string pattern = array.values.empty() ? std::string(1, '\1') : array.values.substr(0, 64);
  while (array.values.size() < bytes) array.values += pattern;
  array.values.resize(bytes);
  if (pick(random, 16) == 0) array.values += 'x';
}

std::string packed(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string unpacked(std::string_view bytes, std::size_t largest) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return {};
  std::string out(largest, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

struct Entry {
  std::string name, bytes;
  bool deflated = false;
};

template <typename Number>
void put(std::string& bytes, std::uint64_t value) {
  const auto number = static_cast<Number>(value);
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename Number>
std::size_t get(std::string_view bytes, std::size_t place) {
  Number number = 0;
  if (place + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + place, sizeof number);
  return number;
}

std::vector<Entry> entries_of(std::string_view bytes, std::size_t largest) {
  std::vector<Entry> entries;
  while (bytes.size() > 30 && bytes.substr(0, 4) == "PK\3\4" && entries.size() < 64) {
    const std::size_t method = get<std::uint16_t>(bytes, 8), size = get<std::uint32_t>(bytes, 18);
    const std::size_t name = get<std::uint16_t>(bytes, 26), begin = 30 + name + get<std::uint16_t>(bytes, 28);
    if (begin > bytes.size()) break;
    const std::string_view held = bytes.substr(begin, size);
    entries.push_back(
        {std::string(bytes.substr(30, name)), method == 8 ? unpacked(held, largest) : std::string(held), method == 8});
    bytes.remove_prefix(std::min(bytes.size(), begin + size));
  }
  return entries;
}

std::string archive_of(const std::vector<Entry>& entries, Random& random) {
  std::string bytes, directory;
  for (const Entry& entry : entries) {
    const std::string held = entry.deflated ? packed(entry.bytes) : entry.bytes;
    std::uint32_t sum =
        static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(entry.bytes.data()), entry.bytes.size()));
    if (pick(random, 32) == 0) sum ^= 1;
    std::string common;  // of both headers
    put<std::uint16_t>(common, 20);
    put<std::uint16_t>(common, 0);
    put<std::uint16_t>(common, entry.deflated ? 8 : 0);
    put<std::uint32_t>(common, 0x00210000);
    put<std::uint32_t>(common, sum);
    put<std::uint32_t>(common, held.size());
    put<std::uint32_t>(common, pick(random, 32) == 0 ? random() : entry.bytes.size());
    put<std::uint16_t>(common, entry.name.size());
    put<std::uint16_t>(common, 0);
    directory.append("PK\1\2").append("\x14\0", 2).append(common);
    put<std::uint16_t>(directory, 0);
    put<std::uint32_t>(directory, 0);
    put<std::uint32_t>(directory, 0);
    put<std::uint32_t>(directory, bytes.size());
    directory += entry.name;
    bytes.append("PK\3\4").append(common).append(entry.name).append(held);
  }
  const std::size_t begin = bytes.size();
  bytes += directory;
  bytes.append("PK\5\6").append(4, '\0');
  put<std::uint16_t>(bytes, entries.size());
  put<std::uint16_t>(bytes, entries.size());
  put<std::uint32_t>(bytes, directory.size());
  put<std::uint32_t>(bytes, begin);
  put<std::uint16_t>(bytes, 0);
  return bytes;
}

}  // namespace

std::string mutate_npy(std::string_view bytes, std::size_t largest, Random& random) {
  Array array = parse(bytes);
  const std::size_t room = largest > 256 ? largest - 256 : largest;
  switch (pick(random, 7)) {
    case 0:
      array.type = types[pick(random, types.size())];
      array.header.clear();
      break;
    case 1:
      array.fortran_order = !array.fortran_order;
      array.header.clear();
      break;
    case 2:
      if (array.shape.empty() || (pick(random, 2) == 0 && array.shape.size() < 33)) array.shape.push_back(1);
      array.shape[pick(random, array.shape.size())] = sizes[pick(random, sizes.size())];
      array.header.clear();
      break;
    case 3:
      if (!array.shape.empty()) array.shape.pop_back();
      array.header.clear();
      break;
    case 4:
      if (array.header.empty()) array.header = "{}";
      mutate_bytes(array.header, std::min<std::size_t>(room, 60000), random);
      return written(array, random);
    case 5: array.version = static_cast<char>(pick(random, 5)); break;
    default: mutate_bytes(array.values, room, random);
  }
  if (pick(random, 8) != 0) fit_values(array, largest, random);
  return written(array, random);
}

std::string mutate_npz(std::string_view bytes, std::size_t largest, Random& random) {
  constexpr std::array names = {"X",     "y",      "x_train",  "y_train", "x_test",   "y_test",
                                "arr_0", "weight", "0.weight", "0.bias",  "__note__", ""};
  std::vector<Entry> entries = entries_of(bytes, largest);
  if (entries.empty()) entries = {{"X.npy", written({}, random), false}, {"y.npy", written({}, random), true}};
  const std::size_t chosen = pick(random, entries.size());
  switch (pick(random, 8)) {
    case 0: entries[chosen].name = std::string(names[pick(random, names.size())]) + ".npy"; break;
    case 1: entries[chosen].deflated = !entries[chosen].deflated; break;
    case 2: entries.push_back(entries[chosen]); break;
    case 3:
      if (entries.size() > 1) entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(chosen));
      break;
    case 4: std::swap(entries[chosen].name, entries[pick(random, entries.size())].name); break;
    case 5: mutate_bytes(entries[chosen].name, 200, random); break;
    default: entries[chosen].bytes = mutate_npy(entries[chosen].bytes, largest, random);
  }
  return archive_of(entries, random);
}

}  // namespace priorfit::fuzz
