// Recommends an initialisation for a table or one of the known data sets: recommend_example [DATA]
#include <cstdio>
#include <priorfit/priorfit.hpp>

int main(int argc, char** argv) try {
  using namespace priorfit;
  const PreparedData data = prepare(load_dataset({.source = argc > 1 ? argv[1] : "digits"}), {.samples = 500});
  const NetworkSpec network = NetworkSpec::uniform(/*depth=*/1, /*width=*/2000);

  const Recommendation answer = recommend(data, network, {.pilots = {.budget_seconds = 5}});
  const Verdict& verdict = answer.advice->verdict;
  std::printf("%s what PyTorch does: %s\n", to_string(verdict.action).data(), sentences(answer).front().text.c_str());
  for (const LayerPrior& layer : answer.chosen.start.layers) {
    std::printf("weight variance %g / fan_in, bias variance %g\n", layer.weight_variance, layer.bias_variance);
  }
  return 0;
} catch (const priorfit::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
