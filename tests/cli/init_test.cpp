// priorfit init as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process.hpp"
#include "priorfit/weights.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;

TEST(Init, WritesTheDrawOfTheLibrary) {
  const Scratch scratch;
  const std::string path = scratch.path("init.safetensors");
  const Outcome outcome = priorfit({"init", "--layers", "12,30,20,4", "--weight-variance", "2.8", "--bias-variance",
                                    "0.1", "--seed", "3", "--out", path});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("torch.nn.Sequential(torch.nn.Linear(12, 30), torch.nn.ReLU(), "
                                     "torch.nn.Linear(30, 20), torch.nn.ReLU(), torch.nn.Linear(20, 4))"));
  EXPECT_THAT(outcome.out, HasSubstr("model.load_state_dict(load_file(\"" + path + "\"))"));
  const LoadedWeights loaded = load_weights(path);
  const Mlp expected = initialise({{30, 20}, {}}, 12, 4, ::priorfit::LayerPrior{2.8, 0.1}, 3);
  for (std::size_t l = 0; l < 3; ++l) {
    EXPECT_EQ(loaded.network.layers[l].weights, expected.layers[l].weights);
    EXPECT_EQ(loaded.network.layers[l].bias, expected.layers[l].bias);
  }
  EXPECT_EQ(loaded.metadata.at("weight_variance"), "2.8");
  EXPECT_EQ(loaded.metadata.at("bias_variance"), "0.1");
  EXPECT_EQ(loaded.metadata.at("seed"), "3");
  EXPECT_EQ(loaded.metadata.at("activation"), "relu");
}

TEST(Init, SchemesAndLayouts) {
  const Scratch scratch;
  const std::string path = scratch.path("init.npz");
  const Outcome outcome =
      priorfit({"init", "--layers", "12,30,4", "--scheme", "glorot", "--layout", "keras", "--out", path});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("model.set_weights(list(numpy.load("));
  EXPECT_THAT(outcome.out, HasSubstr("unflatten_dict"));
  const LoadedWeights loaded = load_weights(path);
  EXPECT_EQ(loaded.layout, WeightLayout::keras);
  const NetworkSpec spec{{30}, {}};
  const Initialisation glorot = Initialisation::named(InitialScheme::glorot, spec, 12, 4);
  EXPECT_EQ(loaded.network.layers[0].weights, initialise(spec, 12, 4, glorot, 1).layers[0].weights);
}

TEST(Init, TheActivationIsNotedAndPrintedAndDoesNotChangeTheDraw) {
  const Scratch scratch;
  const std::string path = scratch.path("init.safetensors");
  const Outcome outcome =
      priorfit({"init", "--layers", "12,30,4", "--activation", "leaky_relu:0.2", "--seed", "3", "--out", path});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("torch.nn.Linear(12, 30), torch.nn.LeakyReLU(0.2), torch.nn.Linear(30, 4)"));
  const LoadedWeights loaded = load_weights(path);
  EXPECT_EQ(loaded.metadata.at("activation"), "leaky_relu:0.2");
  EXPECT_EQ(loaded.network.layers[0].weights,
            initialise({{30}, {}}, 12, 4, ::priorfit::LayerPrior{}, 3).layers[0].weights);
}

TEST(Init, VariancesThatSinglePrecisionDoesNotHoldLeaveNoFile) {
  const Scratch scratch;
  const std::string path = scratch.path("init.safetensors");
  for (const char* variance : {"1e300", "1e-300"}) {
    const Outcome outcome = priorfit({"init", "--layers", "12,30,4", "--weight-variance", variance, "--out", path});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("which single precision does not hold"));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(Init, AHundredLayers) {
  const Scratch scratch;
  const std::string path = scratch.path("init.safetensors");
  std::string layers = "12";
  for (int l = 0; l < 100; ++l) layers += ",20";
  const Outcome outcome = priorfit({"init", "--layers", layers + ",4", "--activation", "erf", "--out", path});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("sizes = [12] + 100 * [20] + [4]; model = torch.nn.Sequential("));
  EXPECT_EQ(load_weights(path).network.spec.depth(), 100);
}

TEST(Init, FollowsARecommendation) {
  const Scratch scratch;
  ASSERT_EQ(priorfit({"recommend", "digits", "--criterion", "evidence", "--samples", "60", "--depth", "2", "--out",
                      scratch.path("r")})
                .code,
            0);
  const std::string from = scratch.path("r/recommendation.json");
  const std::string path = scratch.path("init.safetensors");
  const Outcome outcome = priorfit({"init", "--from", from, "--width", "25", "--out", path});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const LoadedWeights loaded = load_weights(path);
  EXPECT_EQ(loaded.network.spec.hidden_widths, (std::vector<Index>{25, 25}));
  EXPECT_EQ(loaded.network.features(), 64);
  EXPECT_EQ(loaded.network.outputs(), 10);
  const Outcome wrong = priorfit({"init", "--from", from, "--layers", "64,5,10", "--out", path});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--layers has 1 hidden layers: the recommendation is for depth 2"));
  const Outcome other = priorfit({"init", "--from", from, "--activation", "tanh", "--out", path});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("--activation is tanh: the recommendation is for relu"));
}

void expect_refusal(const std::vector<std::string>& arguments, int code, const std::string& part) {
  const Outcome outcome = priorfit(arguments);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(part));
  EXPECT_EQ(outcome.out, "");
}

TEST(Init, RefusesWithAReason) {
  const Scratch scratch;
  const std::string out = scratch.path("w.npz");
  expect_refusal({"init", "--layers", "5,4,3"}, 2, "--out");
  expect_refusal({"init", "--out", out}, 2, "--layers is missing");
  expect_refusal({"init", "--layers", "5,3", "--out", out}, 2, "--layers has 2 sizes");
  expect_refusal({"init", "--layers", "5,x,3", "--out", out}, 2, "'x' is not a whole number");
  expect_refusal({"init", "--layers", "5,4,3", "--out", scratch.path("w.pt")}, 2, "must end in .safetensors or .npz");
  expect_refusal({"init", "--layers", "5,4,3", "--scheme", "hee", "--out", out}, 2, "did you mean 'he'?");
  expect_refusal({"init", "--layers", "5,4,3", "--scheme", "he", "--weight-variance", "1", "--out", out}, 2,
                 "exclude each other");
  expect_refusal({"init", "--layers", "5,4,3", "--activation", "tanhh", "--out", out}, 2, "did you mean 'tanh'?");
  expect_refusal({"init", "--layers", "5,4,3", "--weight-variance", "-1", "--out", out}, 2, "--weight-variance is -1");
  expect_refusal({"init", "--layers", "5,4,3", "--layout", "torhc", "--out", out}, 2, "did you mean 'torch'?");
  expect_refusal({"init", "--layers", "5,4,3", "--out", "/proc/no/w.npz"}, 5, "cannot write");
  expect_refusal({"init", "--from", scratch.path("absent.json"), "--out", out}, 5, "absent.json");
  expect_refusal({"init", "--from", scratch.file("bad.json", "{}"), "--out", out}, 3, "not a recommendation");
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace priorfit::cli
