// Trains 784-2000-10 on MNIST and prints one JSON object: samples a second, and the memory training took beyond the
// data.
//
//     train_bench export SAMPLES X.npy Y.npy           the very data, for bench/train_torch.py
//     train_bench train SAMPLES BATCH EPOCHS THREADS [SPARSE_BELOW [ACTIVATION]]
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "arrays/npy.hpp"
#include "priorfit/mlp.hpp"
#include "support/file_io.hpp"

namespace {

using namespace priorfit;

PreparedData mnist(Index samples) {
  LoadOptions load;
  load.source = "mnist";
  PrepareOptions options;
  options.samples = samples;
  return prepare(load_dataset(load), options);
}

void export_arrays(Index samples, const char* inputs, const char* targets) {
  const PreparedData data = mnist(samples);
  write_file(inputs, npy_bytes(data.train.inputs));
  write_file(targets, npy_bytes(data.train.targets));
}

double status_megabytes(const std::string& field) {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word) {
    double kibibytes = 0;
    if (word == field && file >> kibibytes) return kibibytes * 1024 / 1e6;
  }
  return 0;
}

void reset_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

void run_training(Index samples, const TrainOptions& options, const Activation& activation) {
  PreparedData data = mnist(samples);
  data.test = {};
  reset_peak();
  const double before = status_megabytes("VmRSS:");
  Mlp network =
      initialise(NetworkSpec::uniform(1, 2000, activation), data.features(), data.outputs(), LayerPrior{2.0, 0.0}, 1);
  const TrainingSummary summary = train(network, data, options);
  const double extra = status_megabytes("VmHWM:") - before;
  const double parameters = static_cast<double>(network.parameters()) * sizeof(float) / 1e6;
  const double inputs = static_cast<double>(data.train.inputs.size()) * sizeof(float) / 1e6;
  fmt::print(
      "{{\"samples_per_second\": {:.1f}, \"train_loss\": {:.6g}, \"sparse\": {}, \"density\": {:.4f}, "
      "\"extra_megabytes\": {:.1f}, \"parameter_megabytes\": {:.2f}, \"data_megabytes\": {:.2f}}}\n",
      static_cast<double>(samples) / summary.seconds_per_epoch, summary.train.loss, summary.sparse ? "true" : "false",
      summary.input_density, extra, parameters, inputs);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  if (task == "export" && argc == 5) {
    export_arrays(std::atoll(argv[2]), argv[3], argv[4]);
    return 0;
  }
  if (task == "train" && argc >= 6) {
    TrainOptions options;
    options.batch = std::atoll(argv[3]);
    options.epochs = std::atoll(argv[4]);
    options.threads = std::atoi(argv[5]);
    options.evaluate_every = 0;
    if (argc > 6) options.sparse_below = std::atof(argv[6]);
    run_training(std::atoll(argv[2]), options, Activation::parse(argc > 7 ? argv[7] : "relu"));
    return 0;
  }
  fmt::print(stderr,
             "usage: train_bench export SAMPLES X.npy Y.npy | train SAMPLES BATCH EPOCHS THREADS "
             "[SPARSE_BELOW [ACTIVATION]]\n");
  return 2;
}
