// Trains a network and prints one JSON object: samples a second, and the memory training took beyond the data.
//
//     train_bench export DATA SAMPLES X.npy Y.npy LABELS.npy     the very data, for bench/train_torch.py
//     train_bench train DATA SAMPLES WIDTHS BATCH EPOCHS THREADS LOSS OPTIMIZER [SPARSE_BELOW [ACTIVATION]]
//     train_bench many COUNT THREADS                             784-512-10, MNIST, 1000 rows, 60 epochs, batch 128
//
// DATA is mnist or table: 100,000 rows of 20 normal numbers in two classes. WIDTHS are such as 256,256. With THREADS 0,
// `many` trains one network after another on two threads.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "arrays/npy.hpp"
#include "priorfit/training.hpp"
#include "support/file_io.hpp"
#include "support/random.hpp"

namespace {

using namespace priorfit;
using namespace priorfit::internal;

PreparedData mnist(Index samples) {
  LoadOptions load;
  load.source = "mnist";
  PrepareOptions options;
  options.samples = samples;
  PreparedData data = prepare(load_dataset(load), options);
  data.test = {};
  return data;
}

PreparedData table(Index rows) {
  PreparedData data;
  data.name = "table";
  data.task = Task::classification;
  data.rows = rows;
  data.train.inputs.resize(rows, 20);
  RandomStream(1, RandomUse::simulation)
      .fill_normal(std::span(data.train.inputs.data(), static_cast<std::size_t>(data.train.inputs.size())));
  for (Index r = 0; r < rows; ++r) {
    const auto x = data.train.inputs.row(r);
    data.train.labels.push_back(std::sin(2 * x[0]) + x[1] * x[2] + 0.5 * x.tail(10).sum() > 0 ? 1 : 0);
  }
  data.train.targets = encode_labels(data.train.labels, 2);
  return data;
}

PreparedData data_of(const std::string& name, Index samples) {
  return name == "mnist" ? mnist(samples) : table(samples);
}

void export_arrays(const PreparedData& data, char** files) {
  write_file(files[0], npy_bytes(data.train.inputs));
  write_file(files[1], npy_bytes(data.train.targets));
  Matrix labels(data.train.size(), 1);
  for (Index r = 0; r < data.train.size(); ++r) labels(r, 0) = data.train.labels[static_cast<std::size_t>(r)];
  write_file(files[2], npy_bytes(labels));
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

std::vector<Index> widths_of(const std::string& text) {
  std::vector<Index> widths;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) widths.push_back(std::atoll(word.c_str()));
  return widths;
}

void run_training(const PreparedData& data, const NetworkSpec& spec, const TrainOptions& options, int threads) {
  reset_peak();
  const double before = status_megabytes("VmRSS:");
  Mlp network = initialise(spec, data.features(), data.outputs(), LayerPrior{2.0, 0.0}, 1);
  const TrainingSummary summary = train(network, data, options, {.threads = threads});
  const double extra = status_megabytes("VmHWM:") - before;
  const double parameters = static_cast<double>(network.parameters()) * sizeof(float) / 1e6;
  const double inputs = static_cast<double>(data.train.inputs.size()) * sizeof(float) / 1e6;
  fmt::print(
      "{{\"samples_per_second\": {:.1f}, \"train_loss\": {:.6g}, \"sparse\": {}, \"density\": {:.4f}, "
      "\"extra_megabytes\": {:.1f}, \"parameter_megabytes\": {:.2f}, \"data_megabytes\": {:.2f}}}\n",
      static_cast<double>(data.train.size()) / summary.seconds_per_epoch, summary.train.loss,
      summary.sparse ? "true" : "false", summary.input_density, extra, parameters, inputs);
}

void run_many(std::size_t count, int threads) {
  const PreparedData data = mnist(1000);
  const TrainOptions options{.epochs = 60, .batch = 128, .evaluate_every = 0};
  const NetworkSpec spec = NetworkSpec::uniform(1, 512);
  const Initialisation start = Initialisation::tied(spec, {2.0, 0.0});
  std::vector<NetworkTask> tasks;
  for (std::size_t i = 0; i < count; ++i) tasks.push_back({start, i + 1});
  const auto begin = std::chrono::steady_clock::now();
  if (threads == 0) {
    for (const NetworkTask& task : tasks) {
      Mlp network = initialise(spec, data.features(), data.outputs(), start, task.seed);
      train(network, data, options, {.threads = 2});
    }
  } else {
    train_many(spec, data, tasks, options, {.threads = threads});
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{{\"networks_per_second\": {:.3f}}}\n", static_cast<double>(count) / seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  if (task == "export" && argc == 7) {
    export_arrays(data_of(argv[2], std::atoll(argv[3])), argv + 4);
    return 0;
  }
  if (task == "train" && argc >= 10) {
    TrainOptions options;
    options.batch = std::atoll(argv[5]);
    options.epochs = std::atoll(argv[6]);
    options.evaluate_every = 0;
    options.loss = parse_loss(argv[8]);
    options.optimizer.kind = parse_optimizer_kind(argv[9]);
    if (argc > 10) options.sparse_below = std::atof(argv[10]);
    const NetworkSpec spec{widths_of(argv[4]), Activation::parse(argc > 11 ? argv[11] : "relu")};
    run_training(data_of(argv[2], std::atoll(argv[3])), spec, options, std::atoi(argv[7]));
    return 0;
  }
  if (task == "many" && argc == 4) {
    run_many(static_cast<std::size_t>(std::atoll(argv[2])), std::atoi(argv[3]));
    return 0;
  }
  fmt::print(stderr,
             "usage: train_bench export DATA SAMPLES X.npy Y.npy LABELS.npy | train DATA SAMPLES WIDTHS BATCH EPOCHS "
             "THREADS LOSS OPTIMIZER [SPARSE_BELOW [ACTIVATION]] | many COUNT THREADS\n");
  return 2;
}
