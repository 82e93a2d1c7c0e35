// An activation that priorfit does not know, mish: its best variances, and weights drawn from them, as a file:
// custom_activation_example [DATA [FILE.safetensors]]
#include <cmath>
#include <cstdio>
#include <priorfit/priorfit.hpp>

namespace {

double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

double mish(double x) { return x * std::tanh(softplus(x)); }

double mish_slope(double x) {
  const double t = std::tanh(softplus(x));
  return t + x * (1 - t * t) / (1 + std::exp(-x));
}

}  // namespace

int main(int argc, char** argv) try {
  using namespace priorfit;
  const PreparedData data = prepare(load_dataset({.source = argc > 1 ? argv[1] : "digits"}), {.samples = 200});
  const NetworkSpec network =
      NetworkSpec::uniform(/*depth=*/2, /*width=*/100, Activation::custom("mish", mish, mish_slope));

  const LayerPrior prior = recommend(data, network, {.criterion = "evidence"}).best().pair();
  std::printf("mish: weight variance %g / fan_in, bias variance %g\n", prior.weight_variance, prior.bias_variance);
  const char* file = argc > 2 ? argv[2] : "mish.safetensors";
  save_weights(file, initialise(network, data.features(), data.outputs(), prior, /*seed=*/1));
  const Mlp again = load_weights(file, network.activation).network;  // the file has the function's name only
  std::printf("%s: %d parameters, activation %s\n", file, static_cast<int>(again.parameters()),
              again.spec.activation.name().c_str());
  return 0;
} catch (const priorfit::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
