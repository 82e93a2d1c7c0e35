#include "priorfit/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "helpers.hpp"
#include "priorfit/error.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

SimulationOptions few(Index seeds, SimulationTarget target = SimulationTarget::paths) {
  SimulationOptions options;
  options.seeds = seeds;
  options.target = target;
  return options;
}

const RunContext one_thread{.threads = 1};

TEST(Simulate, RecoversTheDesignPairFromPaths) {
  const Simulation study = simulate(few(40), one_thread);
  EXPECT_GE(study.recovered, 36);
  EXPECT_EQ(study.argmax.front().count, study.recovered);
  EXPECT_EQ(study.argmax.front().prior.weight_variance, 3.6);
  EXPECT_EQ(study.argmax.front().prior.bias_variance, 0.02);
  EXPECT_GT(study.median_rmse_worst_pair, 2 * study.median_rmse_argmax);
}

// The mean of ten paths has covariance K/10. The paper reports 0.00051 and 0.00188 for one draw.
TEST(Simulate, NeverRecoversItFromTheMean) {
  const Simulation study = simulate(few(40, SimulationTarget::mean), one_thread);
  EXPECT_EQ(study.recovered, 0);
  EXPECT_NEAR(study.median_rmse_argmax, 0.0005, 0.00015);
  EXPECT_NEAR(study.median_rmse_worst_pair, 0.0019, 0.0004);
}

TEST(Simulate, DrawsPathsWithTheDesignCovariance) {
  SimulationOptions options = few(1);
  options.paths = 4000;
  options.points = 5;
  options.train_points = 3;
  const SimulationExample example = simulate(options, one_thread).example;
  const Matrix locations = example.locations;
  const Matrix expected = covariance(NetworkSpec::uniform(1), options.design, locations);
  const Matrix sampled = example.paths.transpose() * example.paths / 4000.0;
  EXPECT_LT((sampled - expected).cwiseAbs().maxCoeff(), 6 * expected.maxCoeff() * std::sqrt(2.0 / 4000));
}

TEST(Simulate, KeepsWhatTheFiguresNeed) {
  const SimulationExample example = simulate(few(1), one_thread).example;
  EXPECT_EQ(example.locations.size(), 100);
  EXPECT_EQ(example.locations[99], 1.0);
  EXPECT_EQ(example.paths.rows(), 10);
  EXPECT_EQ(example.paths.cols(), 100);
  EXPECT_EQ(example.grid.size(), 15u);
  std::vector<Index> all = example.train;
  all.insert(all.end(), example.test.begin(), example.test.end());
  std::sort(all.begin(), all.end());
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(example.test.size(), 30u);
  for (const SimulatedPrediction* shown : {&example.best, &example.worst}) {
    ASSERT_EQ(shown->truth.size(), 30);
    EXPECT_EQ(shown->locations[0], example.locations[example.test[0]]);
    EXPECT_EQ(shown->truth[0], example.paths(0, example.test[0]));
  }
  EXPECT_EQ(example.worst.prior.bias_variance, 0.0001);
}

TEST(Simulate, GivesTheSameForTheSameSeed) {
  const SimulationOptions options = few(3);
  EXPECT_EQ(to_csv(simulate(options, one_thread)), to_csv(simulate(options, one_thread)));
  SimulationOptions later = options;
  later.first_seed = 3;
  later.seeds = 1;
  const std::string all = to_csv(simulate(options, one_thread)), last = to_csv(simulate(later, one_thread));
  EXPECT_EQ(all.substr(all.find("\n3,")), last.substr(last.find("\n3,")));
}

TEST(Simulate, SaysTheSameInEveryFormat) {
  const Simulation study = simulate(few(4), one_thread);
  const auto json = nlohmann::json::parse(to_json(study));
  EXPECT_EQ(json.at("schema"), "priorfit.simulation/1");
  EXPECT_EQ(json.at("recovery").at("count"), study.recovered);
  EXPECT_EQ(json.at("recovery").at("seeds"), 4);
  EXPECT_EQ(json.at("threads"), 1);
  EXPECT_EQ(json.at("rmse").at("argmax").get<double>(), study.median_rmse_argmax);
  EXPECT_EQ(json.at("example").at("paths").size(), 10u);
  EXPECT_EQ(json.at("example").at("best").at("predicted").size(), 30u);
  for (const std::string& text : {to_table(study), to_markdown(study), json.at("explanation").get<std::string>()}) {
    EXPECT_THAT(text, HasSubstr("covariance K/n"));
  }
}

TEST(Simulate, TellsHowFarItIsAndStops) {
  std::vector<std::string> stages;
  const RunContext context{.threads = 1, .progress = [&](const Progress& now) {
                             stages.push_back(now.stage);
                             EXPECT_DOUBLE_EQ(*now.fraction, static_cast<double>(stages.size()) / 4);
                             return stages.size() < 2;
                           }};
  test::expect_error(
      ErrorKind::interrupted, [&] { simulate(few(4), context); }, "2 of 4 seeds");
  EXPECT_THAT(stages, ::testing::ElementsAre("1 of 4 seeds", "2 of 4 seeds"));
}

TEST(Simulate, NamesTheOptionThatIsWrong) {
  const auto message = [](auto change) {
    SimulationOptions options = few(1);
    change(options);
    try {
      simulate(options, one_thread);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message([](auto& o) { o.seeds = 0; }), HasSubstr("seeds is 0"));
  EXPECT_THAT(message([](auto& o) { o.noise_variance = 0; }), HasSubstr("noise_variance is 0"));
  EXPECT_THAT(message([](auto& o) { o.train_points = 100; }), HasSubstr("train_points is 100"));
  EXPECT_THAT(message([](auto& o) { o.weight_variances = {2, 1}; }), HasSubstr("weight_variances"));
  EXPECT_THAT(message([](auto& o) { o.weight_variances = {1e300}; }),
              AllOf(HasSubstr("for double precision"), Not(HasSubstr("noise helps"))));  // where it would not
  EXPECT_THROW(parse_simulation_target("path"), Error);
}

}  // namespace
}  // namespace priorfit
