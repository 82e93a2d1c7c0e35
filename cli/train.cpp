// priorfit train: one network from given variances, trained and measured.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "flags.hpp"
#include "prior_flags.hpp"
#include "priorfit/error.hpp"
#include "priorfit/version.hpp"
#include "priorfit/weights.hpp"
#include "support/file_io.hpp"

namespace priorfit::cli {
namespace {

struct Flags {
  DataFlags data;
  NetworkFlags network;
  PriorFlags prior;
  OutputFlags output;
  TrainOptions train;
  std::string layout = "torch";
};

void check_recommended_for(const PreparedData& data, const Flags& flags) {
  const auto& recommended = flags.prior.recommended();
  if (!recommended) return;
  if (recommended->features != data.features() || recommended->outputs != data.outputs()) {
    throw Error(ErrorKind::usage,
                fmt::format("--from is for {} features and {} outputs: {} has {} and {}", recommended->features,
                            recommended->outputs, data.name, data.features(), data.outputs()));
  }
}

std::string progress_text(const TrainingProgress& p, const std::optional<double>& test_accuracy) {
  std::string text = fmt::format("epoch {} of {}, loss {:.4g}", p.epoch, p.epochs, p.train_loss);
  if (p.train_accuracy) text += fmt::format(", train {:.2f} %", 100 * *p.train_accuracy);
  if (test_accuracy) text += fmt::format(", test {:.2f} %", 100 * *test_accuracy);
  return text;
}

TrainingSummary train_with_progress(Mlp& network, const PreparedData& data, const Flags& flags,
                                    const Console& console) {
  ProgressBar progress(console, "training");
  std::optional<double> test_accuracy;
  return train(network, data, flags.train, [&](const TrainingProgress& p) {
    if (p.finished && p.finished->test) test_accuracy = p.finished->test->accuracy;
    progress.update(p.fraction, progress_text(p, test_accuracy));
    return !interrupted();
  });
}

/// What to do about a loss that stopped being finite in `epoch`.
std::string divergence_remedy(Index epoch, const NetworkSpec& spec, const std::vector<LayerPrior>& priors,
                              const PreparedData& data) {
  const auto explosion = epoch == 1 ? find_explosion(spec, priors, data.train.inputs) : std::nullopt;
  if (!explosion) return "try a smaller --learning-rate or variances";
  return fmt::format(
      "from these variances the signal explodes, to {:.2g} at layer {} of {}; choose a smaller "
      "--weight-variance",
      explosion->variance, explosion->layer, spec.depth() + 1);
}

void check_outcome(const TrainingSummary& summary, const Flags& flags, const NetworkSpec& spec,
                   const std::vector<LayerPrior>& priors, const PreparedData& data) {
  if (summary.cancelled) {
    throw Error(ErrorKind::interrupted,
                fmt::format("interrupted after {} epochs{}", summary.history.size(),
                            flags.train.checkpoint.empty() ? "; with --out the same command could continue"
                                                           : "; the same command continues"));
  }
  if (summary.diverged) {
    const Index epoch = std::min(static_cast<Index>(summary.history.size()) + 1, flags.train.epochs);
    throw Error(ErrorKind::numerical, fmt::format("the loss stopped being finite in epoch {} of {}: {}", epoch,
                                                  flags.train.epochs, divergence_remedy(epoch, spec, priors, data)));
  }
}

void write_results(const TrainingReport& report, const Mlp& network, const Flags& flags, WeightLayout layout) {
  const std::filesystem::path& folder = flags.output.folder();
  auto metadata = flags.prior.metadata({.layers = report.priors, .scheme = report.scheme}, flags.train.seed);
  metadata["epochs"] = fmt::format("{}", flags.train.epochs);
  save_weights(folder / "weights.safetensors", network, {.layout = layout, .metadata = metadata});
  write_file(folder / "history.csv", to_csv(report));
  write_file(folder / "training.json", to_json(report));
}

void run(Flags& flags) {
  const Format format = flags.output.format();
  const WeightLayout layout = parse_weight_layout(flags.layout);
  flags.prior.resolve();
  const NetworkSpec spec = flags.network.spec(flags.prior.recommended());
  flags.train.threads = flags.output.threads();
  flags.train.seed = flags.data.prepare.seed;
  flags.train.validate();
  flags.output.prepare_folder();
  if (!flags.output.folder().empty()) flags.train.checkpoint = flags.output.folder() / "checkpoint";
  const Console console = flags.output.console();
  console.say(fmt::format("priorfit {}", version()));
  const PreparedData data = flags.data.read(console);
  check_recommended_for(data, flags);
  const Initialisation start = flags.prior.start(spec, data.features(), data.outputs());
  const std::vector<LayerPrior>& priors = start.layers;
  Mlp network = initialise(spec, data.features(), data.outputs(), start, flags.train.seed);
  console.say(fmt::format("training {} samples, testing {}; {} parameters, {}", data.train.size(), data.test.size(),
                          network.parameters(), flags.prior.text(start)));

  TrainingSummary summary = train_with_progress(network, data, flags, console);
  check_outcome(summary, flags, spec, priors, data);
  const TrainingReport report{summarize(data), data.test.size(),  spec, priors, flags.prior.scheme(),
                              flags.train,     std::move(summary)};
  if (!flags.output.folder().empty()) write_results(report, network, flags, layout);
  print(report, format);
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("train", "train one network from given variances and measure it");
  flags->data.add_to(*command, "digits");
  flags->data.add_test_to(*command);
  flags->prior.add_to(*command);
  flags->network.add_to(*command);
  command->add_option("--epochs", flags->train.epochs, "passes over the samples")->capture_default_str();
  command->add_option("--batch", flags->train.batch, "samples a step")->capture_default_str();
  command->add_option("--learning-rate", flags->train.adam.learning_rate, "of Adam")->capture_default_str();
  command->add_option("--test-every", flags->train.evaluate_every, "epochs between tests; 0: only at the end")
      ->capture_default_str();
  command->add_option("--checkpoint-every", flags->train.checkpoint_every, "epochs between checkpoints in --out")
      ->capture_default_str();
  command->add_option("--layout", flags->layout, "of the weights written: torch or keras")->capture_default_str();
  flags->output.add_to(*command);
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
