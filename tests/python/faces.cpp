// The C++ face of test_faces.py: recommends for digits and prints the JSON. Its argument names the case.
#include <cstdio>
#include <string_view>

#include "priorfit/priorfit.hpp"

int main(int, char** arguments) {
  using namespace priorfit;
  const PreparedData data = prepare(load_dataset({.source = "digits"}), {.samples = 200, .seed = 3});
  RecommendOptions options;
  options.rows_used_whole = 0;
  if (std::string_view(arguments[1]) == "evidence") {
    options.criterion = "evidence";
  } else {
    options.current = {.scheme = std::nullopt, .pair = {2.0, 0.0}, .output_weight_variance = 0.1};
    options.pilots.count = 14;
    TrainOptions& training = options.pilots.training;
    training.loss = Loss::squared;
    training.optimizer.kind = OptimizerKind::sgd;
    training.optimizer.weight_decay = 1e-4;
    training.learning_rate.base = 0.02;
    training.batch = 32;
    training.epochs = 5;
  }
  const Recommendation answer =
      recommend(data, NetworkSpec::uniform(2, 64, Activation::parse("tanh")), options, {.threads = 1});
  std::puts(to_json(answer).c_str());
}
