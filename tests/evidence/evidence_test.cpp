#include "priorfit/evidence.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "helpers.hpp"
#include "linalg/threads.hpp"
#include "oracle/oracle.hpp"
#include "priorfit/error.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::random_matrix;

/// M3 as written, dense and in full storage.
double naive_evidence(const NetworkSpec& network, const LayerPrior& prior, const Matrix& x, const Matrix& y,
                      double noise) {
  const Eigen::MatrixXd a = covariance(network, prior, x) + noise * Matrix::Identity(x.rows(), x.rows());
  const Eigen::LLT<Eigen::MatrixXd> factor(a);
  double total = 0.0;
  for (Index c = 0; c < y.cols(); ++c) {
    const Eigen::VectorXd target = y.col(c);
    total += -0.5 * target.dot(factor.solve(target)) - factor.matrixLLT().diagonal().array().log().sum() -
             0.5 * x.rows() * std::log(2 * std::numbers::pi);
  }
  return total;
}

TEST(Evidence, MatchesTheOracle) {
  int checked = 0;
  for (const auto& problem : oracle::values().at("problems")) {
    const Matrix x = oracle::matrix(problem.at("X")), y = oracle::matrix(problem.at("Y"));
    EvidenceEngine engine(x, y, NetworkSpec::uniform(problem.at("depth").get<Index>(), 1, oracle::activation(problem)));
    const LayerPrior prior{oracle::number(problem.at("weight_variance")), oracle::number(problem.at("bias_variance"))};
    const Evidence evidence = engine.evaluate(prior, oracle::number(problem.at("noise_variance")));
    const double expected = oracle::number(problem.at("log_marginal_likelihood"));
    EXPECT_EQ(evidence.status, EvidenceStatus::ok);
    EXPECT_TRUE(oracle::close(evidence.log_marginal_likelihood, expected, 1e-12));
    EXPECT_TRUE(oracle::close(evidence.per_value, expected / double(y.size()), 1e-12));
    ++checked;
  }
  EXPECT_EQ(checked, 8);
}

RC_GTEST_PROP(Evidence, EqualsTheNaiveDenseComputation, ()) {
  const auto rows = *rc::gen::inRange<Index>(1, 40);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Matrix x = random_matrix(rows, *rc::gen::inRange<Index>(1, 9), seed);
  const Matrix y = random_matrix(rows, *rc::gen::inRange<Index>(1, 4), seed + 1);
  const NetworkSpec network = NetworkSpec::uniform(*rc::gen::inRange<Index>(1, 4));
  const LayerPrior prior{*rc::gen::inRange(1, 40) / 10.0, *rc::gen::inRange(0, 20) / 10.0};
  const double noise = std::pow(10.0, -*rc::gen::inRange(0, 5));
  const double expected = naive_evidence(network, prior, x, y, noise);
  EvidenceEngine engine(x, y, network);
  const Evidence evidence = engine.evaluate(prior, noise);
  RC_ASSERT(evidence.status == EvidenceStatus::ok);
  RC_ASSERT(std::abs(evidence.log_marginal_likelihood - expected) <= 1e-8 * (1 + std::abs(expected)));
}

TEST(Evidence, GramHeldAndRecomputedGiveTheSameBytes) {
  const Matrix x = random_matrix(60, 7, 1), y = random_matrix(60, 2, 2);
  const NetworkSpec network = NetworkSpec::uniform(2);
  EvidenceEngine held(x, y, network, {.gram = GramStorage::held});
  EvidenceEngine recomputed(x, y, network, {.gram = GramStorage::recomputed});
  EXPECT_TRUE(held.holds_gram());
  EXPECT_FALSE(recomputed.holds_gram());
  for (const double weight : {0.4, 2.0, 3.6}) {
    EXPECT_EQ(held.evaluate({weight, 0.5}, 1e-4).log_marginal_likelihood,
              recomputed.evaluate({weight, 0.5}, 1e-4).log_marginal_likelihood);
  }
}

TEST(Evidence, OneThreadAndSeveralAgree) {
  const Matrix x = random_matrix(300, 20, 1), y = random_matrix(300, 3, 2);
  double results[2];
  for (const int threads : {1, 2}) {
    const ThreadScope scope(threads);
    results[threads - 1] =
        EvidenceEngine(x, y, NetworkSpec::uniform(1)).evaluate({2.0, 0.1}, 1e-6).log_marginal_likelihood;
  }
  EXPECT_TRUE(oracle::close(results[0], results[1], 1e-12));
}

TEST(Evidence, OutputsAddUp) {
  const Matrix x = random_matrix(20, 3, 1), y = random_matrix(20, 2, 2);
  const NetworkSpec network = NetworkSpec::uniform(1);
  const auto of = [&](const Matrix& targets) {
    return EvidenceEngine(x, targets, network).evaluate({2.0, 0.1}, 0.01).log_marginal_likelihood;
  };
  EXPECT_NEAR(of(y), of(y.leftCols(1)) + of(y.rightCols(1)), 1e-9);
}

TEST(Evidence, JitterThatSavesAMatrixIsReported) {
  Matrix x = random_matrix(40, 3, 4);
  x.bottomRows(20) = x.topRows(20);  // every row twice: singular without noise
  const Matrix y = random_matrix(40, 1, 5);
  EvidenceEngine engine(x, y, NetworkSpec::uniform(1));
  const Evidence evidence = engine.evaluate({2.0, 0.0}, 0.0);
  ASSERT_EQ(evidence.status, EvidenceStatus::jittered) << evidence.remark();
  EXPECT_GT(evidence.jitter, 0.0);
  EXPECT_GT(evidence.failed_pivot, 0);
  EXPECT_TRUE(std::isfinite(evidence.log_marginal_likelihood));
  EXPECT_NE(evidence.remark().find("jitter"), std::string::npos);
  // The figure is that of the jittered matrix, nothing else.
  EvidenceEngine again(x, y, NetworkSpec::uniform(1));
  EXPECT_EQ(again.evaluate({2.0, 0.0}, evidence.jitter).log_marginal_likelihood, evidence.log_marginal_likelihood);
}

TEST(Evidence, WithoutJitterTheFailedPivotIsTheResult) {
  Matrix x = random_matrix(6, 3, 4);
  x.row(4).setZero();  // without bias or noise its variance is exactly 0
  const Matrix y = random_matrix(6, 1, 5);
  EvidenceEngine engine(x, y, NetworkSpec::uniform(1), {.largest_relative_jitter = 0.0});
  const Evidence evidence = engine.evaluate({2.0, 0.0}, 0.0);
  EXPECT_EQ(evidence.status, EvidenceStatus::not_positive_definite);
  EXPECT_EQ(evidence.failed_pivot, 5);
  EXPECT_TRUE(std::isnan(evidence.log_marginal_likelihood));
  EXPECT_EQ(evidence.remark(), "not positive definite at pivot 5, noise 0");
}

TEST(Evidence, OverflowIsAStatusNotANumber) {
  const Matrix x = random_matrix(5, 3, 4) * 1e160;
  const Matrix y = random_matrix(5, 1, 5);
  const Evidence evidence = EvidenceEngine(x, y, NetworkSpec::uniform(1)).evaluate({2.0, 0.0}, 1e-6);
  EXPECT_EQ(evidence.status, EvidenceStatus::not_finite);
  EXPECT_TRUE(std::isnan(evidence.log_marginal_likelihood));
}

TEST(Evidence, RefusesMismatchedAndImpossibleArguments) {
  const Matrix x = random_matrix(5, 3, 4), y = random_matrix(4, 1, 5), fine = random_matrix(5, 1, 5);
  EXPECT_THROW(EvidenceEngine(x, y, NetworkSpec::uniform(1)), Error);
  EvidenceEngine engine(x, fine, NetworkSpec::uniform(1));
  EXPECT_THROW(engine.evaluate({-2.0, 0.0}, 1e-6), Error);
  EXPECT_THROW(engine.evaluate({2.0, 0.0}, -1.0), Error);
  Matrix bad = fine;
  bad(2, 0) = INFINITY;
  EXPECT_THROW(EvidenceEngine(x, bad, NetworkSpec::uniform(1)), Error);
}

// The closed form of M4: without bias and noise the best σ_w² is (tr(Yᵀ K̂⁻¹ Y)/(N C))^{1/(L+1)}.
TEST(Evidence, RefusesTargetsWhoseSquaresLeaveDoublePrecision) {
  const Matrix inputs = test::random_matrix(5, 2, 1), targets = test::random_matrix(5, 1, 2);
  for (const double scale : {1e150, 1e-150}) {
    const Matrix scaled = scale * targets;
    test::expect_error(
        ErrorKind::data, [&] { EvidenceEngine(inputs, scaled, NetworkSpec::uniform(1)); }, "double precision");
  }
  const Matrix none = Matrix::Zero(5, 1);
  EXPECT_NO_THROW(EvidenceEngine(inputs, none, NetworkSpec::uniform(1)));
}

TEST(Evidence, PeaksAtTheClosedFormOptimum) {
  const Matrix x = random_matrix(30, 40, 1), y = random_matrix(30, 2, 2);
  for (const Index depth : {1, 2, 3}) {
    const NetworkSpec network = NetworkSpec::uniform(depth);
    const Eigen::MatrixXd unit = covariance(network, {1.0, 0.0}, x);
    const double trace = (y.transpose() * unit.llt().solve(Eigen::MatrixXd(y))).trace();
    const double best = std::pow(trace / double(y.size()), 1.0 / double(depth + 1));
    EvidenceEngine engine(x, y, network);
    const auto at = [&](double weight) { return engine.evaluate({weight, 0.0}, 0.0).log_marginal_likelihood; };
    EXPECT_GT(at(best), at(best * 1.001));
    EXPECT_GT(at(best), at(best / 1.001));
  }
}

}  // namespace
}  // namespace priorfit
