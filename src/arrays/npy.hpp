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

namespace priorfit {

struct NpyType {
  enum class Kind { boolean, signed_integer, unsigned_integer, floating };
  Kind kind = Kind::floating;
  int bytes = 8;
  bool big_endian = false;

  bool is_integer() const { return kind != Kind::floating; }
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

}  // namespace priorfit
