// MNIST, the paper's data: a network of the paper's kind reaches the accuracy it should.
#include <gtest/gtest.h>

#include "priorfit/training.hpp"

namespace priorfit {
namespace {

TEST(MnistSlow, AThousandSamplesGiveTheKnownAccuracy) {
  if (!std::filesystem::exists(default_data_folder() / "mnist")) {
    GTEST_SKIP() << "MNIST is not in " << default_data_folder() << ": scripts/get-data mnist fetches it";
  }
  LoadOptions load;
  load.source = "mnist";
  PrepareOptions options;
  options.samples = 1000;
  const PreparedData data = prepare(load_dataset(load), options);
  Mlp network = initialise(NetworkSpec::uniform(1, 2000), data.features(), data.outputs(), LayerPrior{2.0, 0.0}, 1);
  const TrainingSummary summary =
      train(network, data, {.epochs = 50, .batch = 128, .loss = Loss::squared, .evaluate_every = 0});
  EXPECT_TRUE(summary.sparse);
  EXPECT_EQ(summary.test->samples, 10000);
  EXPECT_GE(*summary.test->accuracy, 0.88);
  EXPECT_LE(*summary.test->accuracy, 0.94);
  EXPECT_GT(*summary.train.accuracy, 0.999);
}

}  // namespace
}  // namespace priorfit
