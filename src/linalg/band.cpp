#include "linalg/band.hpp"

#include <fmt/format.h>
#include <lapack.h>

#include <algorithm>
#include <cmath>

#include "priorfit/error.hpp"

// First stage of LAPACK's two-stage reduction (since 3.7); lapack.h has no prototype of it.
extern "C" void dsytrd_sy2sb_(const char* uplo, const lapack_int* n, const lapack_int* width, double* a,
                              const lapack_int* lda, double* band, const lapack_int* ldband, double* tau, double* work,
                              const lapack_int* lwork, lapack_int* info, std::size_t);

namespace priorfit::internal {
namespace {

constexpr lapack_int usual_width = 32;

void check_info(const char* routine, lapack_int info) {
  if (info < 0) throw Error(ErrorKind::internal, fmt::format("{} refused its argument {}", routine, -info));
}

lapack_int band_width(const Band& band) { return static_cast<lapack_int>(band.rows()) - 1; }

}  // namespace

BandReduction::BandReduction(Eigen::MatrixXd lower) : reflectors_(std::move(lower)) {
  const auto size = static_cast<lapack_int>(reflectors_.rows());
  const lapack_int width = std::min(usual_width, std::max(size - 1, 0));
  band_.setZero(width + 1, size);
  if (size <= usual_width + 1) {  // a band already; Q is the identity
    for (lapack_int j = 0; j < size; ++j) {
      for (lapack_int i = j; i < size; ++i) band_(i - j, j) = reflectors_(i, j);
    }
    return;
  }
  const char uplo = 'L';
  const lapack_int band_rows = width + 1;
  lapack_int info = 0, query = -1;
  double wanted = 0;
  scales_.resize(static_cast<std::size_t>(size - width));
  const auto reduce = [&](double* work, const lapack_int* length) {
    dsytrd_sy2sb_(&uplo, &size, &width, reflectors_.data(), &size, band_.data(), &band_rows, scales_.data(), work,
                  length, &info, 1);
    check_info("dsytrd_sy2sb", info);
  };
  reduce(&wanted, &query);
  const auto length = static_cast<lapack_int>(wanted);
  std::vector<double> work(static_cast<std::size_t>(length));
  reduce(work.data(), &length);
}

void BandReduction::rotate(Eigen::MatrixXd& columns) const {
  if (scales_.empty()) return;
  // Reflector i acts on rows i + width onwards: the columns below the band are those of a QR factorisation.
  const char left = 'L', transposed = 'T';
  const lapack_int size = static_cast<lapack_int>(columns.rows()), count = static_cast<lapack_int>(columns.cols());
  const lapack_int width = band_width(band_), rows = size - width;
  lapack_int info = 0, length = -1;
  double wanted = 0;
  const auto apply = [&](double* work) {
    LAPACK_dormqr(&left, &transposed, &rows, &count, &rows, reflectors_.data() + width, &size, scales_.data(),
                  columns.data() + width, &size, work, &length, &info);
    check_info("dormqr", info);
  };
  apply(&wanted);
  length = static_cast<lapack_int>(wanted);
  std::vector<double> work(static_cast<std::size_t>(length));
  apply(work.data());
}

BandFactor::BandFactor(const Band& band, double scale, double ridge) : factor_(scale * band) {
  factor_.row(0).array() += ridge;
  const char lower = 'L';
  const lapack_int size = static_cast<lapack_int>(band.cols()), width = band_width(band), rows = width + 1;
  lapack_int info = 0;
  LAPACK_dpbtrf(&lower, &size, &width, factor_.data(), &rows, &info);
  check_info("dpbtrf", info);
  ok_ = info == 0 && factor_.allFinite();
}

double BandFactor::log_determinant() const { return 2.0 * factor_.row(0).array().log().sum(); }

/// From Lᵀ Z = L⁻¹ with Z = (L Lᵀ)⁻¹: column j of Z, within the band, follows from the `width` columns after it. Those
/// are kept in a window whose slot k holds the row and column whose number is k modulo width.
double BandFactor::inverse_trace() const {
  const Index size = factor_.cols(), width = std::max<Index>(factor_.rows() - 1, 1);
  Eigen::MatrixXd window = Eigen::MatrixXd::Zero(width, width);
  Vector below(width), entries(width);
  double trace = 0.0;
  for (Index j = size - 1; j >= 0; --j) {
    const double pivot = factor_(0, j);
    below.setZero();
    for (Index i = 1; i < factor_.rows() && j + i < size; ++i) below[(j + i) % width] = factor_(i, j) / pivot;
    entries.noalias() = -window * below;
    const double diagonal = 1.0 / (pivot * pivot) - below.dot(entries);
    trace += diagonal;
    const Index slot = j % width;
    window.row(slot) = entries.transpose();
    window.col(slot) = entries;
    window(slot, slot) = diagonal;
  }
  return trace;
}

void BandFactor::solve(Eigen::MatrixXd& columns) const {
  const char lower = 'L';
  const lapack_int size = static_cast<lapack_int>(factor_.cols()), width = band_width(factor_), rows = width + 1;
  const auto count = static_cast<lapack_int>(columns.cols());
  lapack_int info = 0;
  LAPACK_dpbtrs(&lower, &size, &width, &count, factor_.data(), &rows, columns.data(), &size, &info);
  check_info("dpbtrs", info);
}

}  // namespace priorfit::internal
