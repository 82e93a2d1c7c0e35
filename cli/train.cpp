// priorfit train: one network from given variances, trained and measured.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "flags.hpp"
#include "invocation.hpp"
#include "mlp/training_checks.hpp"
#include "prior_flags.hpp"
#include "priorfit/error.hpp"
#include "priorfit/training.hpp"
#include "priorfit/version.hpp"
#include "priorfit/weights.hpp"
#include "support/file_io.hpp"
#include "training_flags.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

constexpr const char* unfinished_file = "unfinished.json";

struct Flags {
  DataFlags data;
  NetworkFlags network;
  PriorFlags prior;
  OutputFlags output;
  TrainingFlags training;
  TrainOptions train;
  bool one_logit = false;
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

/// Outputs of the network: one per class or target, or the single logit of two classes.
Index output_count(const PreparedData& data, const Flags& flags) {
  if (!flags.one_logit) return data.outputs();
  if (data.task != Task::classification || data.outputs() != 2) {
    throw Error(ErrorKind::usage,
                fmt::format("--one-logit is for two classes: {} has {}", data.name,
                            data.task == Task::classification ? fmt::format("{} classes", data.outputs())
                                                              : std::string("numbers to predict")));
  }
  if (flags.train.resolved(true).loss == Loss::squared) {
    throw Error(ErrorKind::usage, "--one-logit needs --loss cross-entropy");
  }
  return 1;
}

TrainingSummary train_with_progress(Mlp& network, const PreparedData& data, const Flags& flags,
                                    const Console& console) {
  ProgressBar progress(console, "training");
  const RunContext context = flags.output.context(progress);
  try {
    return train(network, data, flags.train, context);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    throw Error(ErrorKind::interrupted,
                fmt::format("{}; {}", error.what(),
                            flags.train.checkpoint.empty() ? "with --out the same command could continue"
                                                           : "the same command continues"));
  }
}

/// What to do about a loss that stopped being finite in `epoch`.
std::string divergence_remedy(Index epoch, const TrainingSummary& summary, const NetworkSpec& spec,
                              const std::vector<LayerPrior>& priors, const PreparedData& data) {
  const auto explosion = epoch == 1 ? find_explosion(spec, priors, data.train.inputs) : std::nullopt;
  if (explosion) {
    return fmt::format(
        "from these variances the signal explodes, to {:.2g} at layer {} of {}; choose a smaller "
        "--weight-variance",
        explosion->variance, explosion->layer, spec.depth() + 1);
  }
  const std::string remedy = "try a smaller --learning-rate or variances";
  if (!summary.exploded) return remedy;
  return fmt::format("{}; the values of layer {} of {} were the first to explode", remedy, summary.exploded->layer,
                     spec.depth() + 1);
}

/// Why the training ended before its time; empty when it did not.
std::string divergence(const TrainingSummary& summary, const Flags& flags, const NetworkSpec& spec,
                       const std::vector<LayerPrior>& priors, const PreparedData& data) {
  if (!summary.diverged) return {};
  const Index epoch = std::min(static_cast<Index>(summary.history.size()) + 1, flags.train.epochs);
  return fmt::format("the loss stopped being finite in epoch {} of {}: {}", epoch, flags.train.epochs,
                     divergence_remedy(epoch, summary, spec, priors, data));
}

void write_results(const TrainingReport& report, const Mlp& network, const Flags& flags, WeightLayout layout) {
  const std::filesystem::path& folder = flags.output.folder();
  auto metadata = flags.prior.metadata({.layers = report.priors, .scheme = report.scheme}, flags.train.seed);
  metadata["epochs"] = fmt::format("{}", report.summary.best_epoch.value_or(flags.train.epochs));
  metadata["loss"] = to_string(*report.options.loss);
  save_weights(folder / "weights.safetensors", network, {.layout = layout, .metadata = metadata});
  write_file(folder / "history.csv", to_csv(report));
  write_file(folder / "training.json", to_json(report));
  std::filesystem::remove(folder / unfinished_file);
  remove_unfinished(folder / unfinished_file);
}

void run(Flags& flags) {
  const Format format = flags.output.format();
  const WeightLayout layout = parse_weight_layout(flags.layout);
  flags.prior.resolve();
  const NetworkSpec spec = flags.network.spec(flags.prior.recommended());
  flags.training.apply_to(flags.train);
  flags.train.seed = flags.data.prepare.seed;
  flags.train.validate();
  std::vector<std::string> inputs = flags.data.inputs();
  inputs.push_back(flags.prior.from());
  flags.output.prepare_folder(inputs);
  if (!flags.output.folder().empty()) flags.train.checkpoint = flags.output.folder() / "checkpoint";
  const Console console = flags.output.console();
  console.say(fmt::format("priorfit {}", version()));
  const PreparedData data = flags.data.read(console);
  check_recommended_for(data, flags);
  const Index outputs = output_count(data, flags);
  const Initialisation start = flags.prior.start(spec, data.features(), outputs);
  const std::vector<LayerPrior>& priors = start.layers;
  check_training_memory(spec, data.features(), outputs, flags.train.resolved(data.task == Task::classification));
  Mlp network = initialise(spec, data.features(), outputs, start, flags.train.seed);
  console.say(fmt::format("training {} samples, testing {}; {} parameters, {}", data.train.size(), data.test.size(),
                          network.parameters(), flags.prior.text(start)));

  const auto completed = [&](TrainingReport report) {
    report.priors = priors;
    report.scheme = flags.prior.scheme();
    report.command = invocation();
    return report;
  };
  const auto write_unfinished = [&](const TrainingReport& report) {
    if (!flags.output.folder().empty()) write_file(flags.output.folder() / unfinished_file, to_json(report));
  };
  flags.train.kept = [&](const TrainingSummary& so_far) {
    write_unfinished(completed(report_unfinished(network, data, flags.train, so_far)));
  };
  TrainingSummary summary = train_with_progress(network, data, flags, console);
  if (const std::string why = divergence(summary, flags, spec, priors, data); !why.empty()) {
    TrainingReport report = completed(report_unfinished(network, data, flags.train, std::move(summary)));
    report.unfinished = why + ".";
    report.unfinished.front() = 'T';
    write_unfinished(report);
    throw Error(ErrorKind::numerical, why);
  }
  const TrainingReport report =
      completed(report_training(network, data, flags.train, std::move(summary), flags.output.threads()));
  const bool had_page = flags.output.remove_old_page(flags.output.folder());
  if (!flags.output.folder().empty()) write_results(report, network, flags, layout);
  flags.output.write_page(flags.output.folder(), had_page);
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
  flags->training.add_to(*command);
  command->add_flag("--one-logit", flags->one_logit, "two classes by one output, the logit of the second");
  command->add_option("--test-every", flags->train.evaluate_every, "epochs between tests; 0: only at the end")
      ->capture_default_str();
  command->add_option("--checkpoint-every", flags->train.checkpoint_every, "epochs between checkpoints in --out")
      ->capture_default_str();
  command->add_option("--layout", flags->layout, "of the weights written: torch or keras")->capture_default_str();
  flags->output.add_to(*command);
  flags->output.add_report_to(*command);
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
