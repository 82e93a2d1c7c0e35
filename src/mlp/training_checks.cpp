#include "mlp/training_checks.hpp"

#include <fmt/format.h>

#include "linalg/fits.hpp"
#include "mlp/measure.hpp"
#include "mlp/optimizer.hpp"
#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit::internal {

void check_training(const Mlp& network, const Samples& train, const Samples& test, const TrainOptions& resolved) {
  network.validate();
  check_samples("train", train, network, *resolved.loss);
  if (test.size() > 0) check_samples("test", test, network, *resolved.loss);
  if (resolved.target_scale.size() != 0 && resolved.target_scale.size() != train.targets.cols()) {
    throw Error(ErrorKind::usage, fmt::format("target_scale has {} entries: the network has {} outputs",
                                              resolved.target_scale.size(), train.targets.cols()));
  }
}

double parameter_count(const NetworkSpec& network, Index features, Index outputs) {
  const std::vector<Index> sizes = layer_sizes(network, features, outputs);
  double count = 0;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    count += (static_cast<double>(sizes[l]) + 1) * static_cast<double>(sizes[l + 1]);
  }
  return count;
}

void check_training_memory(const NetworkSpec& network, Index features, Index outputs, const TrainOptions& options,
                           Index networks) {
  const double parameters = parameter_count(network, features, outputs);
  const int copies = 2 + keeps_first_moments(options.optimizer) + keeps_second_moments(options.optimizer);
  const double bytes = parameters * copies * sizeof(float) * static_cast<double>(networks);
  constexpr double always_allowed = 1 << 26;  // asking the system costs more than it
  if (bytes <= always_allowed) return;
  const auto there = static_cast<double>(available_memory());
  if (bytes <= usable_share * there) return;
  throw Error(ErrorKind::resource,
              fmt::format("training {} of {:.0f} parameters needs {:.2f} GB ({:.0f} bytes) and {:.2f} GB are free; "
                          "choose narrower or fewer layers",
                          networks == 1 ? "a network" : fmt::format("{} networks at once", networks), parameters,
                          bytes / 1e9, bytes, there / 1e9));
}

void check_single_rows(const PreparedData& data) {
  if (data.task != Task::classification || data.train.size() < data.rows) return;
  check_single_rows(data.name, data.train, data.test, data.output_names);
}

void check_single_rows(const std::string& name, const Samples& train, const Samples& test,
                       const std::vector<std::string>& classes) {
  std::vector<Index> counts;
  for (const Samples* part : {&train, &test}) {
    for (const int label : part->labels) {
      const auto place = static_cast<std::size_t>(label);
      if (place >= counts.size()) counts.resize(place + 1, 0);
      ++counts[place];
    }
  }
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] != 1) continue;
    throw Error(
        ErrorKind::data,
        fmt::format("{}: class '{}' appears once, too rarely to be learnt and tested: correct its name, give it "
                    "more rows or drop it; if the target is a number, read it as one, task=regression",
                    name, c < classes.size() ? classes[c] : std::to_string(c)));
  }
}

TrainOptions with_preparation(TrainOptions options, const PreparedData& data) {
  options.target_scale = data.target_scale;
  options.preparation = to_string(data.preprocess);
  return options;
}

}  // namespace priorfit::internal
