// Recommends an initialisation for a table or one of the known data sets: recommend_example [DATA]
#include <cstdio>
#include <priorfit/priorfit.hpp>
#include <string>

int main(int argc, char** argv) try {
  using namespace priorfit;
  const PreparedData data = prepare(load_dataset({.source = argc > 1 ? argv[1] : "digits"}), {.samples = 500});
  const NetworkSpec network = NetworkSpec::uniform(/*depth=*/1, /*width=*/2000);

  const Recommendation answer = recommend(data, network, {});
  const LayerPrior prior = answer.best().pair();
  std::printf("weight variance %g / fan_in, bias variance %g\n", prior.weight_variance, prior.bias_variance);
  for (const Candidate& baseline : answer.baselines) {
    const std::string name(to_string(*baseline.start.scheme));
    std::printf("%.1f nats better than %s\n", answer.gain_over(baseline).value_or(0.0), name.c_str());
  }
  return 0;
} catch (const priorfit::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
