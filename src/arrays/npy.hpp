// NumPy's .npy format, versions 1.0 to 3.0, to and from doubles.
//
//     FileSource file("X.npy");
//     NpyArray array = read_npy(file);      // array.values: first dimension × all others
//     write_file("K.npy", npy_bytes(kernel));
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "priorfit/matrix.hpp"
#include "support/file_io.hpp"

namespace priorfit::internal {

struct NpyType {
  /// `brain` is bfloat16, which NumPy itself stores as two nameless bytes; `bytes_text` (S) and `wide_text` (U, four
  /// bytes a character) are names.
  enum class Kind { boolean, signed_integer, unsigned_integer, floating, brain, bytes_text, wide_text };
  Kind kind = Kind::floating;
  int bytes = 8;  // of one value
  bool big_endian = false;

  bool is_text() const { return kind == Kind::bytes_text || kind == Kind::wide_text; }
  bool is_integer() const {
    return kind == Kind::boolean || kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  }
};

struct NpyHeader {
  NpyType type;
  bool fortran_order = false;
  std::vector<Index> shape;  // empty for a scalar

  Index rows() const;     // the first dimension; 1 for a scalar
  Index columns() const;  // the product of the others
};

struct NpyArray {
  NpyHeader header;
  Matrix values;  // header.rows() × header.columns(), the last dimension fastest; 64-bit integers are rounded
  std::vector<std::string> texts;  // of text: rows, as UTF-8; `values` is then empty
};

/// Reads a header and leaves `source` at the first value. Throws Error(data), naming the source, when it is
/// not an npy file, its type is not a plain number, or its shape needs more bytes than the source can hold.
NpyHeader read_npy_header(ByteSource& source);

/// A whole array. Throws Error(data) as above, and when there are fewer or more values than the shape needs.
NpyArray read_npy(ByteSource& source);

/// A version 1.0 file, C order, float64 or float32. `shape` empty: rows × columns.
std::string npy_bytes(const MatrixView& values, std::vector<Index> shape = {});
std::string npy_bytes(const float* values, const std::vector<Index>& shape);

/// The part before the values, for a caller that streams them: "<f8" or "<f4" and the shape.
std::string npy_preamble(const std::string& descriptor, const std::vector<Index>& shape);

}  // namespace priorfit::internal
