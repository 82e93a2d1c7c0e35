#include "mlp/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "priorfit/error.hpp"
#include "support/json_reader.hpp"

namespace priorfit::internal {
namespace {

using json = Json;

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

// The reference implementation allows 100 MB. Parsed, JSON takes up to twelve times its length; a network of 10,000
// layers needs 1 MB.
constexpr std::uint64_t header_limit = 2'000'000;
constexpr int deepest_header = 3;  // the header, a tensor, its shape
constexpr std::uint64_t largest_extent = std::uint64_t{1} << 53;
constexpr std::size_t alignment = 8;

struct Entry {
  std::string name;
  std::vector<Index> shape;
  std::uint64_t begin, end;  // bytes, from the end of the header
};

class Reader {
 public:
  explicit Reader(ByteSource& source) : source_(source) {}

  SafetensorsFile read() {
    const json header = read_header();
    SafetensorsFile file;
    std::vector<Entry> entries;
    for (const auto& [name, value] : header.items()) {
      if (name == "__metadata__") {
        file.metadata = metadata_from(value);
      } else {
        entries.push_back(entry_from(name, value));
      }
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
    check_places(entries);
    for (const Entry& entry : entries) file.tensors.push_back(read_tensor(entry));
    char byte = 0;
    if (source_.read({&byte, 1}) != 0) fail("bytes follow the last tensor");
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::data, fmt::format("{}: not a sound safetensors file: {}", source_.name(), what));
  }

  json read_header() {
    std::array<char, sizeof(std::uint64_t)> length_bytes;
    if (source_.read(length_bytes) != length_bytes.size()) fail("it is shorter than the 8 bytes of a header length");
    const auto length = std::bit_cast<std::uint64_t>(length_bytes);
    if (length > header_limit) fail(fmt::format("the header claims {} bytes; 2 MB are allowed", length));
    if (length > source_.size_bound()) fail(fmt::format("the header claims {} bytes, more than there are", length));
    std::string text;
    if (append_from(source_, length, text) != length) fail("the header is cut short");
    if (!text.starts_with('{')) fail("the header does not begin with '{'");
    json header = internal::read_json(text, {.deepest = deepest_header},
                                      source_.name() + ": not a sound safetensors file: the header");
    if (!header.is_object()) fail("the header is not a JSON object");
    return header;
  }

  Metadata metadata_from(const json& value) const {
    if (!value.is_object()) fail("__metadata__ is not an object");
    Metadata metadata;
    for (const auto& [name, text] : value.items()) {
      if (!text.is_string()) fail(fmt::format("__metadata__ '{}' is not a string", name));
      metadata[name] = text.get<std::string>();
    }
    return metadata;
  }

  std::uint64_t unsigned_number(const json& value, const std::string& name, const char* what) const {
    if (!value.is_number_unsigned()) fail(fmt::format("tensor '{}': {} is not a whole number", name, what));
    return value.get<std::uint64_t>();
  }

  Entry entry_from(const std::string& name, const json& value) const {
    if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
        !value.contains("data_offsets")) {
      fail(fmt::format("tensor '{}' needs dtype, shape and data_offsets, nothing else", name));
    }
    if (value["dtype"] != "F32")
      fail(fmt::format("tensor '{}' has dtype {}: F32 is read", name, value["dtype"].dump()));
    const json& offsets = value["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2 || !value["shape"].is_array()) {
      fail(fmt::format("tensor '{}': shape must be a list and data_offsets a pair", name));
    }
    Entry entry{
        name, {}, unsigned_number(offsets[0], name, "an offset"), unsigned_number(offsets[1], name, "an offset")};
    if (entry.begin > entry.end) fail(fmt::format("tensor '{}' ends before it begins", name));
    std::uint64_t bytes = sizeof(float);
    for (const json& size : value["shape"]) {
      const std::uint64_t extent = unsigned_number(size, name, "a size");
      if (extent > largest_extent || __builtin_mul_overflow(bytes, extent, &bytes)) {
        fail(fmt::format("tensor '{}': its shape is too large", name));
      }
      entry.shape.push_back(static_cast<Index>(extent));
    }
    if (bytes != entry.end - entry.begin) {
      fail(fmt::format("tensor '{}': its shape needs {} bytes, its offsets span {}", name, bytes,
                       entry.end - entry.begin));
    }
    return entry;
  }

  void check_places(const std::vector<Entry>& entries) const {
    std::uint64_t expected = 0;
    for (const Entry& entry : entries) {
      if (entry.begin != expected) {
        fail(fmt::format("tensor '{}' begins at {}, the one before ends at {}", entry.name, entry.begin, expected));
      }
      expected = entry.end;
    }
    if (expected > source_.size_bound()) fail("the tensors need more bytes than there are");
  }

  Tensor read_tensor(const Entry& entry) {
    Tensor tensor{entry.name, entry.shape, {}};
    const std::uint64_t bytes = entry.end - entry.begin;
    if (append_from(source_, bytes, tensor.values) != bytes) {
      fail(fmt::format("it is cut short in tensor '{}'", entry.name));
    }
    return tensor;
  }

  ByteSource& source_;
};

}  // namespace

std::string safetensors_bytes(const std::vector<Tensor>& tensors, const Metadata& metadata) {
  json header = json::object();
  auto& members = header.get_ref<json::object_t&>();  // names are new: header[name] would look through all of them
  if (!metadata.empty()) members.push_back({"__metadata__", metadata});
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors) {
    const std::uint64_t end = offset + tensor.values.size() * sizeof(float);
    members.push_back({tensor.name, {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}}});
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + alignment - 1) / alignment * alignment, ' ');
  const std::uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  bytes.reserve(sizeof length + text.size() + offset);
  bytes += text;
  for (const Tensor& tensor : tensors) {
    bytes.append(reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size() * sizeof(float));
  }
  return bytes;
}

SafetensorsFile read_safetensors(ByteSource& source) { return Reader(source).read(); }

}  // namespace priorfit::internal
