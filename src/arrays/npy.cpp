#include "arrays/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "arrays/matrix_memory.hpp"
#include "arrays/npy_convert.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

static_assert(std::endian::native == std::endian::little, "npy writing and conversion assume little-endian numbers");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

[[noreturn]] void fail(const ByteSource& source, const std::string& problem) {
  throw Error(ErrorKind::data, source.name() + ": " + problem);
}

// Where the r-th trailing index in Fortran order (first of them fastest) lies in C order (last fastest).
Index c_order_column(Index r, const std::vector<Index>& shape) {
  Index stride = 1;
  for (std::size_t d = 1; d < shape.size(); ++d) stride *= shape[d];
  Index column = 0;
  for (std::size_t d = 1; d < shape.size(); ++d) {
    stride /= shape[d];
    column += (r % shape[d]) * stride;
    r /= shape[d];
  }
  return column;
}

void check_end(ByteSource& source, const NpyHeader& header) {
  if (char extra = 0; source.read({&extra, 1}) != 0) {
    fail(source, fmt::format("more bytes follow the values of its shape ({})", fmt::join(header.shape, ", ")));
  }
}

}  // namespace

NpyArray read_npy(ByteSource& source) {
  NpyArray array{.header = read_npy_header(source), .values = {}, .texts = {}};
  const NpyHeader& header = array.header;
  const std::size_t width = static_cast<std::size_t>(header.type.bytes);
  const std::size_t per_chunk = chunk_bytes / width;
  const auto values = static_cast<std::size_t>(header.rows()) * static_cast<std::size_t>(header.columns());
  std::vector<char> chunk(std::min(per_chunk, values) * width);  // check_size has seen that the file holds them
  const auto read_values = [&](std::size_t count) {
    const std::size_t got = source.read({chunk.data(), count * width});
    if (got != count * width) {
      fail(source, fmt::format("the file ends before the values of its shape ({})", fmt::join(header.shape, ", ")));
    }
  };

  if (header.type.is_text()) {
    if (header.columns() != 1) fail(source, "names in more than one column are not read");
    for (Index r = 0; r < header.rows(); ++r) {
      read_values(1);
      array.texts.push_back(convert_text(chunk.data(), header.type));
    }
    check_end(source, header);
    return array;
  }
  internal::check_matrix_fits(header.rows(), header.columns(), source.name());
  array.values.resize(header.rows(), header.columns());
  if (!header.fortran_order) {
    const auto total = static_cast<std::size_t>(array.values.size());
    for (std::size_t done = 0; done < total; done += per_chunk) {
      const std::size_t count = std::min(per_chunk, total - done);
      read_values(count);
      convert(chunk.data(), count, header.type, array.values.data() + done, 1);
    }
  } else {
    const auto rows = static_cast<std::size_t>(header.rows());
    for (Index r = 0; r < header.columns(); ++r) {
      double* column = array.values.data() + c_order_column(r, header.shape);
      for (std::size_t done = 0; done < rows; done += per_chunk) {
        const std::size_t count = std::min(per_chunk, rows - done);
        read_values(count);
        convert(chunk.data(), count, header.type, column + static_cast<Index>(done) * header.columns(),
                header.columns());
      }
    }
  }
  check_end(source, header);
  return array;
}

std::string npy_preamble(const std::string& descriptor, const std::vector<Index>& shape) {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descriptor,
                                       fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // Padded so that the values begin at a multiple of 64, as NumPy does.
  constexpr std::size_t prefix = 10;
  dictionary.append(63 - (prefix + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string bytes(magic);
  bytes += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  return bytes + dictionary;
}

std::string npy_bytes(const MatrixView& values, std::vector<Index> shape) {
  if (shape.empty()) shape = {values.rows(), values.cols()};
  std::string bytes = npy_preamble("<f8", shape);
  const std::size_t row_bytes = static_cast<std::size_t>(values.cols()) * sizeof(double);
  bytes.reserve(bytes.size() + row_bytes * static_cast<std::size_t>(values.rows()));
  for (Index r = 0; r < values.rows(); ++r) {
    bytes.append(reinterpret_cast<const char*>(values.row(r).data()), row_bytes);
  }
  return bytes;
}

std::string npy_bytes(const float* values, const std::vector<Index>& shape) {
  std::string bytes = npy_preamble("<f4", shape);
  std::size_t count = 1;
  for (const Index size : shape) count *= static_cast<std::size_t>(size);
  return bytes.append(reinterpret_cast<const char*>(values), count * sizeof(float));
}

}  // namespace priorfit::internal
