#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "arrays/npy.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = 64 * 1024;
constexpr std::size_t most_dimensions = 32;  // as NumPy has it
constexpr int longest_text = 4096;           // bytes of one name

[[noreturn]] void fail(const ByteSource& source, const std::string& problem) {
  throw Error(ErrorKind::data, source.name() + ": " + problem);
}

void read_exactly(ByteSource& source, std::span<char> buffer, const char* what) {
  if (source.read(buffer) != buffer.size()) fail(source, fmt::format("the file ends inside the {}", what));
}

// Length of the header's dictionary, which a version-dependent number of bytes announces.
std::size_t header_length(ByteSource& source) {
  char start[8];
  if (source.read(start) != sizeof start || std::string_view(start, 6) != magic) {
    fail(source, "not an npy file: it does not begin with the npy signature");
  }
  const int version = start[6];
  if (version < 1 || version > 3) fail(source, fmt::format("npy version {} is not known (1 to 3 are)", version));
  unsigned char bytes[4] = {};
  read_exactly(source, {reinterpret_cast<char*>(bytes), version == 1 ? std::size_t{2} : 4}, "npy header");
  const std::size_t length = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | std::size_t{bytes[3]} << 24;
  if (length > longest_header) fail(source, fmt::format("an npy header of {} bytes is not plausible", length));
  return length;
}

// Walks the dictionary literal {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderText {
 public:
  HeaderText(const ByteSource& source, std::string_view text) : source_(source), text_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool seen[3] = {};
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        header.type = type();
        seen[0] = true;
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        seen[1] = true;
      } else if (key == "shape") {
        header.shape = shape();
        seen[2] = true;
      } else {
        malformed();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!seen[0] || !seen[1] || !seen[2]) malformed();
    return header;
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n\r"), text_.size())); }

  bool accept(char c) {
    skip_blanks();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) malformed();
  }

  std::string quoted() {
    skip_blanks();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) malformed();
    const std::size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) malformed();
    const std::string word(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return word;
  }

  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return value;
      }
    }
    malformed();
  }

  std::vector<Index> shape() {
    std::vector<Index> sizes;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::uint64_t size = 0;
      std::size_t digits = 0;
      for (; digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits) {
        if (size > static_cast<std::uint64_t>(INT64_MAX) / 10 - 1)
          fail(source_, "the shape in its npy header overflows");
        size = size * 10 + static_cast<std::uint64_t>(text_[digits] - '0');
      }
      if (digits == 0) malformed();
      text_.remove_prefix(digits);
      sizes.push_back(static_cast<Index>(size));
      if (sizes.size() > most_dimensions) {
        fail(source_,
             fmt::format("its npy header has more than {} dimensions, as many as NumPy allows", most_dimensions));
      }
      if (!accept(',') && !text_.starts_with(')')) malformed();
    }
    return sizes;
  }

  NpyType type() {
    skip_blanks();
    if (text_.starts_with('[')) fail(source_, "structured npy types are not read; save plain numbers");
    const std::string name = quoted();
    NpyType type;
    if (text_type(name, type)) return type;
    if (name.size() == 3 && std::string_view("<>|=").find(name[0]) != std::string_view::npos) {
      type.big_endian = name[0] == '>';
      type.bytes = name[2] - '0';
      const bool any_width = type.bytes == 1 || type.bytes == 2 || type.bytes == 4 || type.bytes == 8;
      using Kind = NpyType::Kind;
      if (name[1] == 'f' && (type.bytes == 2 || type.bytes == 4 || type.bytes == 8)) {
        return type.kind = Kind::floating, type;
      }
      if (name[1] == 'V' && type.bytes == 2) return type.kind = Kind::brain, type;
      if (name[1] == 'i' && any_width) return type.kind = Kind::signed_integer, type;
      if (name[1] == 'u' && any_width) return type.kind = Kind::unsigned_integer, type;
      if (name[1] == 'b' && type.bytes == 1) return type.kind = Kind::boolean, type;
    }
    if (name == "bfloat16") return type.kind = NpyType::Kind::brain, type.bytes = 2, type;
    if (name.find('O') != std::string::npos) {
      fail(source_, "holds Python objects (dtype object), not numbers; convert with .astype('float64') and save again");
    }
    fail(source_,
         fmt::format("npy type '{}' is not read; float16, bfloat16, float32, float64, bool, integers and text are",
                     name));
  }

  // '<U12' and '|S5'.
  bool text_type(const std::string& name, NpyType& type) const {
    if (name.size() < 3 || (name[1] != 'U' && name[1] != 'S')) return false;
    int characters = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + 2, end, characters);
    if (error != std::errc() || stop != end || characters < 1) return false;
    type.kind = name[1] == 'U' ? NpyType::Kind::wide_text : NpyType::Kind::bytes_text;
    type.big_endian = name[0] == '>';
    if (characters > longest_text / 4) {
      fail(source_,
           fmt::format("names of {} characters are not plausible; at most {} are read", characters, longest_text / 4));
    }
    type.bytes = characters * (name[1] == 'U' ? 4 : 1);
    return true;
  }

  [[noreturn]] void malformed() const { fail(source_, "its npy header is malformed"); }

  const ByteSource& source_;
  std::string_view text_;
};

// Bytes of all values, or Error(data) when the product overflows or exceeds what the source can hold.
void check_size(const ByteSource& source, const NpyHeader& header) {
  std::uint64_t bytes = static_cast<std::uint64_t>(header.type.bytes);
  for (const Index size : header.shape) {
    if (size == 0) fail(source, fmt::format("shape ({}) holds no values", fmt::join(header.shape, ", ")));
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) {
      fail(source, fmt::format("the shape ({}) in its npy header overflows", fmt::join(header.shape, ", ")));
    }
  }
  if (bytes > source.size_bound()) {
    fail(source, fmt::format("its npy header promises shape ({}), {} bytes, more than the file holds",
                             fmt::join(header.shape, ", "), bytes));
  }
}

}  // namespace

Index NpyHeader::rows() const { return shape.empty() ? 1 : shape[0]; }

Index NpyHeader::columns() const {
  Index product = 1;
  for (std::size_t d = 1; d < shape.size(); ++d) product *= shape[d];
  return product;
}

NpyHeader read_npy_header(ByteSource& source) {
  std::string text(header_length(source), '\0');
  read_exactly(source, text, "npy header");
  NpyHeader header = HeaderText(source, text).parse();
  check_size(source, header);
  return header;
}

}  // namespace priorfit::internal
