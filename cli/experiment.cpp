// priorfit experiment: evidence and training over a grid, several sizes and seeds; resumable.
#include "priorfit/experiment.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "command.hpp"
#include "flags.hpp"
#include "priorfit/error.hpp"
#include "priorfit/version.hpp"
#include "ranks.hpp"
#include "support/file_io.hpp"
#include "training_flags.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

struct Flags {
  TrainingFlags training;
  OutputFlags output;
  std::string preset, file;
  std::optional<std::string> data, targets, target, task, preprocess, test, sizes, grid, weight_variances,
      bias_variances, output_variances, activation, noise, predict_optimizer;
  std::vector<std::string> schemes;
  std::optional<double> test_fraction, ridge, predict_steps, predict_learning_rate;
  std::optional<Index> depth, width, seeds, test_every;
  std::optional<std::uint64_t> seed;
  Index checkpoint_every = 10;
  bool show = false;
  bool trained_risk = false;
};

std::vector<Index> parse_sizes(const std::string& text) {
  std::vector<Index> sizes;
  for (const double value : parse_number_list("--sizes", text)) {
    sizes.push_back(static_cast<Index>(value));
    if (static_cast<double>(sizes.back()) != value) {
      throw Error(ErrorKind::usage, fmt::format("--sizes: {} is not a whole number", value));
    }
  }
  return sizes;
}

template <typename T>
void take(T& field, const std::optional<T>& flag) {
  if (flag) field = *flag;
}

void apply_data_flags(const Flags& flags, ExperimentSpecification& s) {
  take(s.data.source, flags.data);
  take(s.data.targets, flags.targets);
  take(s.data.target_column, flags.target);
  take(s.test, flags.test);
  take(s.test_fraction, flags.test_fraction);
  if (flags.task) s.data.task = *flags.task == "auto" ? std::nullopt : std::optional(parse_task(*flags.task));
  if (flags.preprocess) {
    s.preprocess = *flags.preprocess == "auto" ? std::nullopt : std::optional(parse_preprocess(*flags.preprocess));
  }
}

void apply_grid_flags(const Flags& flags, ExperimentSpecification& s) {
  if (flags.grid && *flags.grid != "paper") {
    throw Error(ErrorKind::usage, fmt::format("--grid '{}' is unknown (paper); for your own values use "
                                              "--weight-variances and --bias-variances",
                                              *flags.grid));
  }
  if (flags.grid) {
    s.weight_variances = ExperimentSpecification{}.weight_variances;
    s.bias_variances = ExperimentSpecification{}.bias_variances;
  }
  if (flags.weight_variances) s.weight_variances = parse_number_list("--weight-variances", *flags.weight_variances);
  if (flags.bias_variances) s.bias_variances = parse_number_list("--bias-variances", *flags.bias_variances);
  if (flags.output_variances)
    s.output_weight_variances = parse_number_list("--output-variances", *flags.output_variances);
  if (!flags.schemes.empty()) s.schemes.clear();
  for (const std::string& name : flags.schemes) s.schemes.push_back(parse_initial_scheme(name));
  if (flags.noise) {
    s.noise_variance = *flags.noise == "fit" ? std::nullopt : std::optional(parse_number("--noise", *flags.noise));
  }
}

void apply_prediction_flags(const Flags& flags, ExperimentSpecification& s) {
  take(s.prediction.ridge, flags.ridge);
  if (flags.predict_steps.has_value() != flags.predict_learning_rate.has_value()) {
    throw Error(ErrorKind::usage, "--predict-steps and --predict-learning-rate go together: give both or neither");
  }
  if (flags.predict_steps) {
    s.prediction.time = {*flags.predict_steps, *flags.predict_learning_rate};
    s.prediction.optimizer = Optimizer::gradient_descent;
  }
  if (flags.predict_optimizer) s.prediction.optimizer = parse_optimizer(*flags.predict_optimizer);
}

/// Preset, then file, then flags: each overrides what came before.
ExperimentSpecification specification(const Flags& flags) {
  ExperimentSpecification s;
  if (!flags.preset.empty()) s = experiment_preset(flags.preset);
  if (!flags.file.empty()) s = read_specification(flags.file, s);
  apply_data_flags(flags, s);
  apply_grid_flags(flags, s);
  if (flags.depth || flags.width) {
    s.network = NetworkSpec::uniform(flags.depth.value_or(s.network.depth()),
                                     flags.width.value_or(s.network.hidden_widths.front()), s.network.activation);
  }
  if (flags.activation) s.network.activation = Activation::parse(*flags.activation);
  if (flags.sizes) s.sizes = parse_sizes(*flags.sizes);
  take(s.seeds, flags.seeds);
  take(s.seed, flags.seed);
  flags.training.apply_to(s.training);
  take(s.training.evaluate_every, flags.test_every);
  apply_prediction_flags(flags, s);
  if (s.data.source.empty()) throw Error(ErrorKind::usage, "give --data, --preset or --specification");
  if (s.sizes.empty()) throw Error(ErrorKind::usage, "give the training sizes, such as --sizes 1000,3000,5000");
  s.validate();
  return s;
}

Experiment perform(const Flags& flags, const Console& console, const std::filesystem::path& folder) {
  const ExperimentSpecification wanted = specification(flags);
  console.say(fmt::format("priorfit {}", version()));
  console.say(fmt::format("reading {}; results go to {}", wanted.data.source, folder.string()));
  ProgressBar bar(console, "experiment");
  RunContext context = flags.output.context(bar);
  // What earlier runs did tells nothing about the time that is left.
  context.progress = [&bar, show = context.progress, started = false](const priorfit::Progress& now) mutable {
    if (!std::exchange(started, true)) bar.start_at(now.fraction.value_or(0.0));
    return show(now);
  };
  ExperimentOptions options{
      .folder = folder, .checkpoint_every = flags.checkpoint_every, .elsewhere = experiment_elsewhere()};
  if (several_ranks()) console.say(fmt::format("{} ranks share the cells", ranks()));
  if (flags.trained_risk) options.also.push_back("trained-risk");
  return run_experiment(wanted, options, context);
}

void run(const Flags& flags) {
  const Format format = flags.output.format();
  const std::filesystem::path folder =
      flags.output.folder().empty() ? std::filesystem::path("priorfit-experiment") : flags.output.folder();
  if (!speaks()) {  // the folder is rank 0's
    if (!flags.show) perform(flags, flags.output.console(), folder);
    return;
  }
  flags.output.check_report(folder);
  // Its own specification is written as it was read: an experiment continues by it.
  if (!flags.show) flags.output.check_folder(folder, {flags.data.value_or("")});
  const bool had_page = !flags.show && flags.output.remove_old_page(folder);
  const Experiment result = flags.show ? read_experiment(folder) : perform(flags, flags.output.console(), folder);
  if (flags.show && flags.output.report()) {
    write_file(folder / "experiment.json", to_json(result));  // as far as it is
  }
  flags.output.write_page(folder, had_page);
  print(result, format);
}

}  // namespace

void add_experiment(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  Flags& f = *flags;
  CLI::App* command = app.add_subcommand("experiment", "evidence and training over a grid, sizes and seeds; resumable");
  command->add_option("--preset", f.preset, "paper-curves (mnist at 1000, 3000, 5000) or paper-table (10000 to 50000)");
  command->add_option("--specification", f.file,
                      "TOML file, as specification.toml of an earlier result; flags override it");
  command->add_option("--data", f.data, "data set, as the other commands take it");
  command->add_option("--targets", f.targets, "targets for an .npy data set, as .npy");
  command->add_option("--target", f.target, "target column, by name or 1-based number (default: the last)");
  command->add_option("--task", f.task, "auto, classification or regression");
  command->add_option("--preprocess", f.preprocess, "auto, unit, standardize, center, none");
  command->add_option("--test-data", f.test, "test rows, in a file like the data, where it has no test split");
  command->add_option("--test-fraction", f.test_fraction, "share held out where there is no test split (0.2)");
  command->add_option("--sizes", f.sizes, "training sizes, such as 1000,3000,5000");
  command->add_option("--depth", f.depth, "hidden layers (1)");
  command->add_option("--width", f.width, "units in each hidden layer (2000)");
  command->add_option("--activation", f.activation, activation_help() + " (relu)");
  command->add_option("--grid", f.grid, "paper: 0.4,1.2,2,2.8,3.6 × 0,1,2");
  command->add_option("--weight-variances", f.weight_variances, "values of σ_w² to try, such as 0.5,1,2,4");
  command->add_option("--bias-variances", f.bias_variances, "values of σ_b² to try, such as 0,0.1,1");
  command->add_option("--output-variances", f.output_variances,
                      "values of the output layer's own σ_w² to try, such as 0.01,0.1 (default: tied)");
  command->add_option("--schemes", f.schemes, "measured besides the grid, such as pytorch,keras")->delimiter(',');
  command->add_option("--noise", f.noise, "observation noise variance σ_n² of the evidence, or fit (1e-6)");
  f.training.add_to(*command);
  command->add_option("--test-every", f.test_every, "epochs between tests; 0: only at the end (1)");
  command->add_option("--seeds", f.seeds, "networks trained from each pair (1)");
  command->add_option("--seed", f.seed, "the first of them, and of the draw of rows (1)");
  command->add_option("--checkpoint-every", f.checkpoint_every, "epochs between checkpoints")->capture_default_str();
  command->add_flag("--trained-risk", f.trained_risk,
                    "also predict what training does from each pair, now or for results that are there");
  command->add_option("--predict-optimizer", f.predict_optimizer,
                      "the prediction is for: adam, or gradient-descent (adam)");
  command->add_option("--predict-steps", f.predict_steps, "predict gradient descent stopped after so many steps");
  command->add_option("--predict-learning-rate", f.predict_learning_rate, "of those steps");
  command->add_option("--ridge", f.ridge, "added to the tangent kernel, as a share of its mean diagonal (0.001)");
  command->add_flag("--show", f.show, "print what --out holds, finished or not, and run nothing");
  f.output.add_to(*command);
  f.output.add_report_to(*command);
  command->get_option("--out")->description("folder for database and results (default: priorfit-experiment)");
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
