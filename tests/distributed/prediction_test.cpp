#include "distributed/distributed.hpp"
#include "helpers.hpp"

namespace priorfit::internal {
namespace {

TEST(DistributedPrediction, IsThatOfOneProcess) {
  const World world;
  const Matrix inputs = test::random_matrix(171, 5, 1), targets = test::random_matrix(171, 2, 2);
  const Matrix tests = test::random_matrix(67, 5, 3);
  for (const char* name : {"relu", "tanh", "gelu"}) {
    const NetworkSpec network = NetworkSpec::uniform(2, 100, Activation::parse(name));
    const std::vector<LayerPrior> layers = {{1.1, 0.3}, {1.7, 0.0}, {0.4, 0.1}};
    const Posterior one(inputs, targets, network, layers, 0.05);
    const auto all = prediction_of_all(world)->learn(inputs, targets, network, layers, 0.05);
    const Prediction expected = one.predict(tests), got = all->predict(tests);
    EXPECT_LT((got.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-10) << name;
    EXPECT_LT((got.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-10) << name;
    EXPECT_EQ(got.noise_variance, 0.05);
  }
}

TEST(DistributedPrediction, SaysWhyItCannotLearn) {
  const World world;
  Matrix inputs = test::random_matrix(40, 5, 1), targets = test::random_matrix(40, 2, 2);
  const NetworkSpec network = NetworkSpec::uniform(100);
  const std::vector<LayerPrior> layers = layer_priors({1e9, 0.0}, network);
  test::expect_error(
      ErrorKind::numerical, [&] { prediction_of_all(world)->learn(inputs, targets, network, layers, 0.1); },
      "cannot be factored");
}

}  // namespace
}  // namespace priorfit::internal
