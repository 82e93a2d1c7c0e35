#include "priorfit/recommend.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "oracle/oracle.hpp"
#include "priorfit/error.hpp"
#include "support/random.hpp"

namespace priorfit {
using namespace internal;
namespace {

PreparedData small_data() {
  PreparedData data;
  data.name = "small";
  data.rows = 40;
  data.train.inputs.resize(40, 3);
  data.train.targets.resize(40, 2);
  RandomStream(1, RandomUse::simulation)
      .fill_normal(std::span<double>(data.train.inputs.data(), data.train.inputs.size()));
  RandomStream(2, RandomUse::simulation)
      .fill_normal(std::span<double>(data.train.targets.data(), data.train.targets.size()));
  return data;
}

const NetworkSpec network = NetworkSpec::uniform(1);

RecommendOptions paper_grid(double noise_variance) {
  RecommendOptions options = RecommendOptions::paper_grid();
  options.noise = NoiseChoice::at(noise_variance);
  return options;
}

TEST(Recommendation, BestCellIsTheLargestAndEachCellIsItsOwnEvidence) {
  const PreparedData data = small_data();
  const Recommendation answer = recommend(data, network, paper_grid(0.01));
  ASSERT_TRUE(answer.grid());
  const std::vector<Candidate>& cells = answer.grid()->cells;
  ASSERT_EQ(cells.size(), 15u);
  EvidenceEngine engine(data.train.inputs, data.train.targets, network);
  std::size_t cell = 0;
  for (const double weight : {0.4, 1.2, 2.0, 2.8, 3.6}) {
    for (const double bias : {0.0, 1.0, 2.0}) {
      EXPECT_EQ(cells[cell].pair().weight_variance, weight);
      EXPECT_EQ(cells[cell].pair().bias_variance, bias);
      EXPECT_EQ(cells[cell].evidence().log_marginal_likelihood,
                engine.evaluate({weight, bias}, 0.01).log_marginal_likelihood);
      EXPECT_LE(cells[cell].evidence().log_marginal_likelihood, answer.best().evidence().log_marginal_likelihood);
      ++cell;
    }
  }
}

TEST(Recommendation, BaselinesOffTheGridAreEvaluatedToo) {
  const PreparedData data = small_data();
  const Recommendation answer = recommend(data, network,
                                          {.criterion = "evidence",
                                           .search = GridSearch{.weight_variances = {3.0}, .bias_variances = {0.5}},
                                           .noise = NoiseChoice::at(0.01)});
  EvidenceEngine engine(data.train.inputs, data.train.targets, network);
  ASSERT_EQ(answer.baselines.size(), 4u);
  EXPECT_EQ(answer.baselines[0].start.scheme, InitialScheme::he);
  EXPECT_EQ(answer.baselines[0].evidence().log_marginal_likelihood,
            engine.evaluate({2.0, 0.0}, 0.01).log_marginal_likelihood);
  EXPECT_EQ(answer.baselines[1].start.scheme, InitialScheme::lecun);
  EXPECT_EQ(answer.baselines[1].evidence().log_marginal_likelihood,
            engine.evaluate({1.0, 0.0}, 0.01).log_marginal_likelihood);
  EXPECT_EQ(answer.gain_over(answer.baselines[0]), answer.grid()->cells[0].evidence().log_marginal_likelihood -
                                                       answer.baselines[0].evidence().log_marginal_likelihood);
}

TEST(Recommendation, ProgressCountsEveryCellAndMayCancel) {
  const PreparedData data = small_data();
  std::vector<double> seen;
  const RecommendOptions options = paper_grid(0.01);
  const auto count = [&](const Progress& progress) {
    seen.push_back(progress.fraction.value());
    const char* stage = seen.size() <= 18
                            ? "of 18 cells"
                            : "of 5 starts judged by trained-risk";  // the recommended cell and four baselines
    EXPECT_NE(progress.stage.find(stage), std::string::npos)
        << progress.stage;  // 15, LeCun, Glorot, PyTorch; He is on it
    return true;
  };
  recommend(data, network, options, {.progress = count});
  ASSERT_EQ(seen.size(), 18u + 5u);
  EXPECT_EQ(seen[17], 1.0);
  EXPECT_EQ(seen.back(), 1.0);
  for (const char* last : {"3 of 18 cells", "2 of 5 starts judged by trained-risk"}) {
    const RunContext context{.progress = [&](const Progress& progress) { return progress.stage != last; }};
    EXPECT_THROW(
        {
          try {
            recommend(data, network, options, context);
          } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::interrupted);
            throw;
          }
        },
        Error)
        << last;
  }
}

TEST(Recommendation, NoFactorableCellIsAnErrorThatSaysWhy) {
  PreparedData data = small_data();
  data.train.inputs *= 1e200;
  try {
    recommend(data, network, {.criterion = "evidence"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
  }
}

// Noise makes a covariance positive definite; it does nothing for one that overflows.
TEST(Recommendation, AdvisesNoiseOnlyWhereItHelps) {
  PreparedData data = small_data();
  const auto message = [&](double weight_variance) -> std::string {
    RecommendOptions options{.criterion = "evidence",
                             .search = GridSearch{.weight_variances = {weight_variance}, .bias_variances = {0.0}},
                             .noise = NoiseChoice::at(0.0)};
    options.evidence.largest_relative_jitter = 0.0;
    try {
      recommend(data, network, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  for (const double variance : {1e300, 1e-300}) {
    EXPECT_NE(message(variance).find("for double precision"), std::string::npos) << message(variance);
    EXPECT_EQ(message(variance).find("noise helps"), std::string::npos) << message(variance);
  }
  data.train.inputs.row(1).setZero();
  EXPECT_NE(message(2.0).find("not positive definite"), std::string::npos) << message(2.0);
  EXPECT_NE(message(2.0).find(". A larger noise helps"), std::string::npos) << message(2.0);
}

TEST(RecommendOptions, NameTheFieldTheValueAndTheRule) {
  const auto message = [](const RecommendOptions& options) -> std::string {
    try {
      options.validate();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.criterion = "evidence", .search = GridSearch{.weight_variances = {1.0, -2.0}}}),
            "weight_variances holds -2: each must be finite and greater than 0");
  EXPECT_EQ(message({.criterion = "evidence", .search = GridSearch{.bias_variances = {0.5, 0.5}}}),
            "bias_variances is 0.5, 0.5: values must ascend without repetition");
  EXPECT_EQ(message({.criterion = "evidence", .noise = NoiseChoice::at(NAN)}),
            "noise_variance is nan: it must be finite and at least 0");
}

TEST(PasteLines, CarryTheVariancesAndZeroBias) {
  const PasteLines zero = paste_lines(Initialisation::tied(network, {2.5, 0.0}));
  for (const std::string* lines : {&zero.pytorch, &zero.keras, &zero.flax}) {
    EXPECT_NE(lines->find("variances = [(2.5, 0)] * 2 "), std::string::npos) << *lines;
  }
  const PasteLines some = paste_lines(Initialisation::with_output(network, {2.5, 0.25}, 0.01));
  EXPECT_NE(some.pytorch.find("variances = [(2.5, 0.25)] + [(0.01, 0)] "), std::string::npos) << some.pytorch;
  const PasteLines uniform = paste_lines(Initialisation::named(InitialScheme::pytorch, network, 64, 10));
  EXPECT_NE(uniform.pytorch.find("uniform_(layer.weight"), std::string::npos);
  EXPECT_EQ(some.pytorch.find("uniform"), std::string::npos);
}

}  // namespace
}  // namespace priorfit
