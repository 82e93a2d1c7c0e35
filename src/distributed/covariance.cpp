#include "distributed/covariance.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "distributed/inverse.hpp"
#include "distributed/scalapack.hpp"
#include "evidence/factorization.hpp"
#include "kernel/covariance.hpp"
#include "priorfit/error.hpp"
#include "support/loop_error.hpp"

namespace priorfit::internal {
namespace {

constexpr int one = 1;
constexpr Index usual_block = 128, least_block = 8;
// Column blocks are dealt out to so many sums, added in order: the same for any number of threads.
constexpr Index gradient_shares = 16;

/// out = x y^T for rows of samples, column-major.
void gram_block(const MatrixView& x, const LocalRun& rows, const MatrixView& y, const LocalRun& columns, double* out,
                Index leading) {
  const auto stride_x = static_cast<blasint>(x.outerStride()), stride_y = static_cast<blasint>(y.outerStride());
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(rows.count),
              static_cast<blasint>(columns.count), static_cast<blasint>(x.cols()), 1.0,
              x.data() + rows.first * x.outerStride(), stride_x, y.data() + columns.first * y.outerStride(), stride_y,
              0.0, out, static_cast<blasint>(leading));
}

}  // namespace

Index DistributedCovariance::block_size(Index samples, const GridShape& shape) {
  return std::clamp(samples / (4 * std::max(shape.rows, shape.columns)), least_block, usual_block);
}

double DistributedCovariance::bytes(Index samples, Index outputs, Index depth, const GridShape& shape) {
  const Index block = block_size(samples, shape);
  const auto rows = static_cast<double>(local_size(samples, block, 0, shape.rows));
  const auto columns = static_cast<double>(local_size(samples, block, 0, shape.columns));
  const double vectors = static_cast<double>(4 * outputs + (gradient_shares + 4) * depth + 8);
  const double panels = 4 * static_cast<double>(block) * (rows + columns);  // what ScaLAPACK sends around
  constexpr double fixed = 32e6;                                            // of MPI, and rounding to large pages
  return sizeof(double) * (rows * columns + static_cast<double>(samples) * vectors + panels) + fixed;
}

DistributedCovariance::DistributedCovariance(const World& world, const MatrixView& inputs, const NetworkSpec& network,
                                             double largest_relative_jitter)
    : world_(world),
      inputs_(inputs),
      network_(network),
      largest_relative_jitter_(largest_relative_jitter),
      squared_norms_(inputs.rowwise().squaredNorm()),
      block_(block_size(inputs.rows(), world.shape())),
      matrix_(world, inputs.rows(), inputs.rows(), block_, block_) {}

double DistributedCovariance::fill(const LayerPriors& priors, double ridge, std::optional<VarianceFailure>& failure) {
  held_.reset();
  const LayerVariances variances(network_, priors, inputs_.cols(), squared_norms_);
  failure = variances.failure();
  if (failure) return std::nan("");
  const CovariancePass pass(network_, priors, inputs_.cols(), variances, variances);
  LoopError error;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t c = 0; c < matrix_.column_runs().size(); ++c) {
    const LocalRun& columns = matrix_.column_runs()[c];
    for (const LocalRun& rows : matrix_.row_runs()) {
      if (rows.first < columns.first) continue;  // the lower triangle, by blocks
      error.guard([&] {
        gram_block(inputs_, rows, inputs_, columns, matrix_.at(rows.local, columns.local), matrix_.leading());
        for (Index j = 0; j < columns.count; ++j) {
          double* column = matrix_.at(rows.local, columns.local + j);
          const Index global = columns.first + j;
          pass.run(column, column, rows.count, rows.first, global);
          if (rows.first == columns.first) column[j] = variances.output(global) + ridge;
        }
      });
    }
  }
  error.rethrow();
  double sum = 0.0;
  for (Index i = 0; i < variances.size(); ++i) sum += variances.output(i);
  return sum / static_cast<double>(variances.size());
}

Index DistributedCovariance::cholesky() {
  const int size = static_cast<int>(inputs_.rows());
  int info = 0;
  pdpotrf_("L", &size, matrix_.values(), &one, &one, matrix_.descriptor(), &info);
  check_arguments("pdpotrf", info);
  return world_.largest(info);
}

Evidence DistributedCovariance::factor(const LayerPriors& priors, double noise_variance) {
  check_noise(noise_variance);
  if (held_ && held_->priors == priors && held_->result.noise_variance == noise_variance) return held_->result;
  const Evidence result = factor_with_jitter(
      noise_variance, largest_relative_jitter_,
      [&](double ridge, std::optional<VarianceFailure>& failure) { return fill(priors, ridge, failure); },
      [&] { return cholesky(); });
  if (result.ok()) held_ = Held{priors, result};
  return result;
}

Vector DistributedCovariance::diagonal() const {
  Vector values = Vector::Zero(inputs_.rows());
  for (const LocalRun& columns : matrix_.column_runs()) {
    for (const LocalRun& rows : matrix_.row_runs()) {
      if (rows.first != columns.first) continue;
      for (Index j = 0; j < columns.count; ++j) {
        values[columns.first + j] = *matrix_.at(rows.local + j, columns.local + j);
      }
    }
  }
  world_.sum(values.data(), values.size());
  return values;
}

double DistributedCovariance::log_determinant() const { return 2.0 * diagonal().array().log().sum(); }

void DistributedCovariance::solve(Eigen::MatrixXd& right, bool transposed) const {
  BlockMatrix part(world_, right.rows(), right.cols(), block_, right.cols());
  for (const LocalRun& columns : part.column_runs()) {
    for (const LocalRun& rows : part.row_runs()) {
      for (Index j = 0; j < columns.count; ++j) {
        std::copy_n(right.col(columns.first + j).data() + rows.first, rows.count,
                    part.at(rows.local, columns.local + j));
      }
    }
  }
  const int rows_all = static_cast<int>(right.rows()), columns_all = static_cast<int>(right.cols());
  const double unit = 1.0;
  pdtrsm_("L", "L", transposed ? "T" : "N", "N", &rows_all, &columns_all, &unit, matrix_.at(0, 0), &one, &one,
          matrix_.descriptor(), part.values(), &one, &one, part.descriptor());
  right.setZero();
  for (const LocalRun& columns : part.column_runs()) {
    for (const LocalRun& rows : part.row_runs()) {
      for (Index j = 0; j < columns.count; ++j) {
        std::copy_n(part.at(rows.local, columns.local + j), rows.count,
                    right.col(columns.first + j).data() + rows.first);
      }
    }
  }
  world_.sum(right.data(), right.size());
}

Vector DistributedCovariance::inverse_diagonal() {
  held_.reset();
  invert_triangle(matrix_, inputs_.rows(), block_);
  Vector squares = Vector::Zero(inputs_.rows());
  for (const LocalRun& columns : matrix_.column_runs()) {
    for (const LocalRun& rows : matrix_.row_runs()) {
      if (rows.first < columns.first) continue;
      for (Index j = 0; j < columns.count; ++j) {
        const double* column = matrix_.at(rows.local, columns.local + j);
        for (Index i = rows.first == columns.first ? j : 0; i < rows.count; ++i) {
          squares[columns.first + j] += column[i] * column[i];
        }
      }
    }
  }
  world_.sum(squares.data(), squares.size());
  return squares;
}

Vector DistributedCovariance::invert() {
  held_.reset();
  invert_by_factor(matrix_, inputs_.rows(), block_);
  return diagonal();
}

Adjoints DistributedCovariance::off_diagonal_adjoints(const AdjointPass& pass, const Eigen::MatrixXd& alpha,
                                                      double scale) {
  const Index depth = network_.depth(), samples = inputs_.rows();
  std::vector<Adjoints> sums(static_cast<std::size_t>(gradient_shares), {depth, samples});
  const auto column_blocks = static_cast<Index>(matrix_.column_runs().size());
  const auto stride = static_cast<blasint>(alpha.rows());
  LoopError error;
#pragma omp parallel for schedule(dynamic)
  for (Index share = 0; share < gradient_shares; ++share) {
    std::vector<double> gram(static_cast<std::size_t>(block_ * block_));
    for (Index c = share; c < column_blocks; c += gradient_shares) {
      const LocalRun& columns = matrix_.column_runs()[static_cast<std::size_t>(c)];
      for (const LocalRun& rows : matrix_.row_runs()) {
        if (rows.first < columns.first) continue;
        error.guard([&] {
          gram_block(inputs_, rows, inputs_, columns, gram.data(), block_);
          cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(rows.count),
                      static_cast<blasint>(columns.count), static_cast<blasint>(alpha.cols()), 1.0,
                      alpha.data() + rows.first, stride, alpha.data() + columns.first, stride, -scale,
                      matrix_.at(rows.local, columns.local), static_cast<blasint>(matrix_.leading()));
          for (Index j = 0; j < columns.count; ++j) {
            const Index skip = rows.first == columns.first ? std::min(j + 1, rows.count) : 0;
            if (skip == rows.count) continue;
            pass.run(gram.data() + j * block_ + skip, matrix_.at(rows.local + skip, columns.local + j),
                     rows.count - skip, rows.first + skip, columns.first + j, sums[static_cast<std::size_t>(share)]);
          }
        });
      }
    }
  }
  error.rethrow();
  for (std::size_t share = 1; share < sums.size(); ++share) sums[0] += sums[share];
  Adjoints& total = sums[0];
  world_.sum(total.weights.data(), static_cast<Index>(total.weights.size()));
  world_.sum(total.biases.data(), static_cast<Index>(total.biases.size()));
  world_.sum(total.variances.data(), total.variances.size());
  return std::move(total);
}

DistributedCovariance::CrossProducts DistributedCovariance::cross_products(const LayerPriors& priors,
                                                                           const MatrixView& test_inputs,
                                                                           const LayerVariances& test_variances,
                                                                           const Eigen::MatrixXd& weights) const {
  const Index tests = test_inputs.rows();
  const LayerVariances variances(network_, priors, inputs_.cols(), squared_norms_);
  const CovariancePass pass(network_, priors, inputs_.cols(), variances, test_variances);
  BlockMatrix cross(world_, inputs_.rows(), tests, block_, block_);
  CrossProducts result{Matrix::Zero(tests, weights.cols()), Vector::Zero(tests)};
  LoopError error;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t c = 0; c < cross.column_runs().size(); ++c) {
    const LocalRun& columns = cross.column_runs()[c];
    for (const LocalRun& rows : cross.row_runs()) {
      error.guard([&] {
        gram_block(inputs_, rows, test_inputs, columns, cross.at(rows.local, columns.local), cross.leading());
        for (Index j = 0; j < columns.count; ++j) {
          double* column = cross.at(rows.local, columns.local + j);
          pass.run(column, column, rows.count, rows.first, columns.first + j);
          result.means.row(columns.first + j) +=
              Eigen::Map<const Vector>(column, rows.count).transpose() * weights.middleRows(rows.first, rows.count);
        }
      });
    }
  }
  error.rethrow();
  const int rows_all = static_cast<int>(inputs_.rows()), columns_all = static_cast<int>(tests);
  const double unit = 1.0;
  pdtrsm_("L", "L", "N", "N", &rows_all, &columns_all, &unit, matrix_.at(0, 0), &one, &one, matrix_.descriptor(),
          cross.values(), &one, &one, cross.descriptor());
  for (const LocalRun& columns : cross.column_runs()) {
    for (const LocalRun& rows : cross.row_runs()) {
      for (Index j = 0; j < columns.count; ++j) {
        result.explained[columns.first + j] +=
            Eigen::Map<const Vector>(cross.at(rows.local, columns.local + j), rows.count).squaredNorm();
      }
    }
  }
  world_.sum(result.means.data(), result.means.size());
  world_.sum(result.explained.data(), result.explained.size());
  return result;
}

}  // namespace priorfit::internal
