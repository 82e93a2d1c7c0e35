// Arrays of Python as views, and matrices as arrays, without copies either way.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

#include "priorfit/matrix.hpp"

namespace priorfit::python {

namespace nb = nanobind;

/// rows × columns; priorfit/_arrays.py makes them of whatever it is given
using Array = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline MatrixView view(const Array& array) {
  return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1))};
}

template <typename Scalar>
using NumpyArray = nb::ndarray<nb::numpy, Scalar>;

/// Gives `values` to Python: a NumPy array that owns them.
template <typename Derived>
NumpyArray<typename Derived::Scalar> to_numpy(Eigen::PlainObjectBase<Derived>&& values) {
  auto* kept = new Derived(std::move(values.derived()));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Derived*>(p); });
  const std::size_t shape[] = {static_cast<std::size_t>(kept->rows()), static_cast<std::size_t>(kept->cols())};
  const std::size_t dimensions = Derived::IsVectorAtCompileTime ? 1 : 2;
  return {kept->data(), dimensions, shape, owner};
}

/// A read-only look at what `owner` holds.
template <typename Scalar>
NumpyArray<const Scalar> look_at(const Scalar* values, std::initializer_list<std::size_t> shape, nb::handle owner) {
  return {values, shape.size(), shape.begin(), owner};
}

inline NumpyArray<const double> look_at(const Matrix& values, nb::handle owner) {
  return look_at(values.data(), {static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols())},
                 owner);
}

}  // namespace priorfit::python
