#include "distributed/inverse.hpp"

#include "distributed/scalapack.hpp"

namespace priorfit::internal {
namespace {

constexpr double unit = 1.0, minus = -1.0;
constexpr Index panels_at_the_end = 4;  // ScaLAPACK's own routine takes over

/// A diagonal block of the matrix and its halves: rows and columns of ScaLAPACK are counted from 1.
class Triangle {
 public:
  Triangle(BlockMatrix& matrix, Index first, Index size, Index block)
      : matrix_(matrix), first_(static_cast<int>(first) + 1), size_(static_cast<int>(size)), block_(block) {}

  bool small() const { return size_ <= panels_at_the_end * block_; }
  Triangle upper_left() const { return {matrix_, first_ - 1, half(), block_}; }
  Triangle lower_right() const { return {matrix_, first_ - 1 + half(), size_ - half(), block_}; }

  void invert() const {
    if (small()) {
      int info = 0;
      pdtrtri_("L", "N", &size_, matrix_.values(), &first_, &first_, matrix_.descriptor(), &info);
      check_arguments("pdtrtri", info);
      return;
    }
    const Triangle a = upper_left(), c = lower_right();
    // [A 0; B C]⁻¹ = [A⁻¹ 0; −C⁻¹ B A⁻¹ C⁻¹]
    c.invert();
    pdtrmm_("L", "L", "N", "N", &c.size_, &a.size_, &minus, matrix_.values(), &c.first_, &c.first_,
            matrix_.descriptor(), matrix_.values(), &c.first_, &a.first_, matrix_.descriptor());
    pdtrsm_("R", "L", "N", "N", &c.size_, &a.size_, &unit, matrix_.values(), &a.first_, &a.first_, matrix_.descriptor(),
            matrix_.values(), &c.first_, &a.first_, matrix_.descriptor());
    a.invert();
  }

  /// LᵀL in place of L.
  void square() const {
    if (small()) {
      pdlauum_("L", &size_, matrix_.values(), &first_, &first_, matrix_.descriptor());
      return;
    }
    const Triangle a = upper_left(), c = lower_right();
    // [A 0; B C]ᵀ [A 0; B C] = [AᵀA + BᵀB, …; CᵀB, CᵀC]
    a.square();
    pdsyrk_("L", "T", &a.size_, &c.size_, &unit, matrix_.values(), &c.first_, &a.first_, matrix_.descriptor(), &unit,
            matrix_.values(), &a.first_, &a.first_, matrix_.descriptor());
    pdtrmm_("L", "L", "T", "N", &c.size_, &a.size_, &unit, matrix_.values(), &c.first_, &c.first_, matrix_.descriptor(),
            matrix_.values(), &c.first_, &a.first_, matrix_.descriptor());
    c.square();
  }

 private:
  /// Whole blocks, at least one.
  Index half() const { return (size_ / block_ + 1) / 2 * block_; }

  BlockMatrix& matrix_;
  int first_, size_;
  Index block_;
};

}  // namespace

void invert_triangle(BlockMatrix& matrix, Index size, Index block) { Triangle(matrix, 0, size, block).invert(); }

void invert_by_factor(BlockMatrix& matrix, Index size, Index block) {
  const Triangle whole(matrix, 0, size, block);
  whole.invert();
  whole.square();
}

}  // namespace priorfit::internal
