// priorfit recommend: the maximum of the evidence or the best cell of a grid, and lines to paste.
#include "priorfit/recommend.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "argument_names.hpp"
#include "command.hpp"
#include "flags.hpp"
#include "invocation.hpp"
#include "priorfit/error.hpp"
#include "priorfit/version.hpp"
#include "support/file_io.hpp"
#include "support/text.hpp"

namespace priorfit::cli {
namespace {

struct Flags {
  DataFlags data;
  NetworkFlags network;
  OutputFlags output;
  std::string grid;
  std::string weight_variances;
  std::string bias_variances;
  std::string noise;
  std::string weight_bounds = "0.01,10";
  std::string bias_bounds = "0,4";
  std::string noise_bounds = "1e-8,1";
  GrowthOptions growth;
  bool per_layer = false;
  bool surface = false;
  bool leave_one_out = false;
  std::string criterion = "evidence";
  std::string output_variances;
  bool untie_output = false;
  std::string optimizer;
  double ridge = TrainedRiskOptions{}.ridge;
  double train_steps = 0.0;
  double learning_rate = 0.0;
  Index risk_samples = RecommendOptions{}.risk_samples;
};

Bounds parse_bounds(const std::string& flag, const std::string& text) {
  const std::vector<double> numbers = parse_number_list(flag, text);
  if (numbers.size() != 2) {
    throw Error(ErrorKind::usage, fmt::format("{} is '{}': give two numbers, lower,upper", flag, text));
  }
  return {numbers[0], numbers[1]};
}

TrainedRiskOptions risk_options(const Flags& flags) {
  TrainedRiskOptions options;
  options.ridge = flags.ridge;
  if ((flags.train_steps != 0) != (flags.learning_rate != 0)) {
    throw Error(ErrorKind::usage, "--train-steps and --learning-rate go together: give both or neither");
  }
  if (flags.train_steps != 0) options.time = {flags.train_steps, flags.learning_rate};
  options.optimizer = !flags.optimizer.empty() ? parse_optimizer(flags.optimizer)
                      : options.time           ? Optimizer::gradient_descent
                                               : Optimizer::adam;
  return options;
}

/// The grid that the user named; none: the search is left to the library.
std::optional<GridSearch> named_grid(const Flags& flags) {
  if (!flags.grid.empty() && flags.grid != "paper") {
    throw Error(ErrorKind::usage, fmt::format("--grid '{}' is unknown (paper); for your own values use "
                                              "--weight-variances and --bias-variances",
                                              flags.grid));
  }
  GridSearch grid;
  if (!flags.grid.empty()) grid = std::get<GridSearch>(RecommendOptions::paper_grid().search);
  const auto read = [](const char* flag, const std::string& text, std::vector<double>& values) {
    if (!text.empty()) values = parse_number_list(flag, text);
  };
  read("--weight-variances", flags.weight_variances, grid.weight_variances);
  read("--bias-variances", flags.bias_variances, grid.bias_variances);
  read("--output-variances", flags.output_variances, grid.output_weight_variances);
  grid.leave_one_out = flags.leave_one_out;
  const bool named = !grid.weight_variances.empty() || !grid.bias_variances.empty() ||
                     !grid.output_weight_variances.empty() || grid.leave_one_out;
  return named ? std::optional(grid) : std::nullopt;
}

FamilyKind family(const Flags& flags) {
  const bool output = flags.untie_output || !flags.output_variances.empty();
  if (flags.per_layer && output) {
    throw Error(ErrorKind::usage,
                "--per-layer gives every layer its own pair, the output included: leave out --untie-output "
                "and --output-variances");
  }
  return flags.per_layer ? FamilyKind::per_layer : output ? FamilyKind::output : FamilyKind::tied;
}

NoiseChoice noise(const Flags& flags) {
  NoiseChoice choice;
  choice.bounds = parse_bounds("--noise-bounds", flags.noise_bounds);
  if (flags.noise == "fit") choice.kind = NoiseChoice::Kind::fitted;
  if (!flags.noise.empty() && flags.noise != "fit") choice = NoiseChoice::at(parse_number("--noise", flags.noise));
  return choice;
}

RecommendOptions recommend_options(const Flags& flags) {
  RecommendOptions options;
  options.criterion = find_criterion(flags.criterion).name;
  options.family = family(flags);
  // The report page draws the surface, so result files hold it.
  options.search = AutomaticSearch{.surface = flags.surface || !flags.output.folder().empty()};
  if (const auto grid = named_grid(flags)) {
    if (flags.per_layer) {
      throw Error(ErrorKind::usage,
                  "--per-layer has too many variances for a grid: leave out --grid, --weight-variances and "
                  "--bias-variances");
    }
    options.search = *grid;
  }
  options.noise = noise(flags);
  options.risk = risk_options(flags);
  options.risk_samples = flags.risk_samples;
  options.weight_bounds = parse_bounds("--weight-bounds", flags.weight_bounds);
  options.bias_bounds = parse_bounds("--bias-bounds", flags.bias_bounds);
  options.growth = flags.growth;
  if (!flags.data.samples_automatic()) options.rows_used_whole = 0;
  options.validate();
  return options;
}

std::string criteria_help() {
  std::string text;
  for (const CriterionInfo& info : known_criteria()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", info.name, info.summary);
  }
  return text;
}

void run(const Flags& flags) {
  const Format format = flags.output.format();
  const NetworkSpec network = flags.network.spec();
  const RecommendOptions options = recommend_options(flags);
  flags.output.prepare_folder();
  const Console console = flags.output.console();
  console.say(fmt::format("priorfit {}", version()));
  const PreparedData data = flags.data.read(console);

  std::optional<ProgressBar> bar(std::in_place, console, options.criterion);
  Recommendation answer = recommend(data, network, options, flags.output.context(*bar));
  bar.reset();
  answer.command = invocation();
  answer.argument_names = argument_names();
  if (!flags.output.folder().empty()) {
    write_file(flags.output.folder() / "recommendation.json", to_json(answer));
    write_file(flags.output.folder() / "grid.csv", to_csv(answer));
    flags.output.write_page(flags.output.folder());
  }
  print(answer, format);
}

}  // namespace

void add_recommend(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("recommend", "which (σ_w², σ_b²) explains the data best");
  flags->data.allow_automatic_samples();
  flags->data.add_to(*command, "digits");
  flags->network.add_to(*command);
  command->add_option("--noise", flags->noise,
                      "observation noise variance σ_n², or fit (default: fit; 1e-6 for a grid)");
  command->add_option("--weight-bounds", flags->weight_bounds, "where to look for σ_w²")->capture_default_str();
  command->add_option("--bias-bounds", flags->bias_bounds, "where to look for σ_b²")->capture_default_str();
  command->add_option("--noise-bounds", flags->noise_bounds, "where to look for σ_n²")->capture_default_str();
  command->add_option("--time-limit", flags->growth.time_limit, "seconds that --samples auto may take")
      ->capture_default_str();
  command->add_option("--grid", flags->grid,
                      "the best cell of a grid instead of the maximum: paper (0.4,1.2,2,2.8,3.6 × 0,1,2)");
  command->add_option("--weight-variances", flags->weight_variances,
                      "a grid of these values of σ_w², such as 0.5,1,2,4");
  command->add_option("--bias-variances", flags->bias_variances, "a grid of these values of σ_b², such as 0,0.1,1");
  command->add_option("--criterion", flags->criterion, criteria_help())->capture_default_str();
  command->add_flag("--per-layer", flags->per_layer, "choose a pair for each layer");
  command->add_flag("--untie-output", flags->untie_output, "choose the output layer's own σ_w² too, over a grid");
  command->add_option("--output-variances", flags->output_variances, "its values to try (0.001,0.01,0.1,1)");
  command->add_option("--optimizer", flags->optimizer,
                      "the prediction is for: adam, or gradient-descent (default: adam)");
  command->add_option("--train-steps", flags->train_steps, "predict gradient descent stopped after so many steps");
  command->add_option("--learning-rate", flags->learning_rate, "of those steps");
  command->add_option("--ridge", flags->ridge, "added to the tangent kernel, as a share of its mean diagonal")
      ->capture_default_str();
  command->add_option("--risk-samples", flags->risk_samples, "most samples used to predict training; 0: do not")
      ->capture_default_str();
  command->add_flag("--leave-one-out", flags->leave_one_out, "leave-one-out densities for every cell of a grid");
  command->add_flag("--surface", flags->surface,
                    "the evidence around the maximum, 40 × 40, in the JSON (--out has it too)");
  flags->output.add_to(*command);
  flags->output.add_report_to(*command);
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
