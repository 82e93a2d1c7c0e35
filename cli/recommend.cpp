// priorfit recommend: keep the initialisation in use or change it, by how much, how surely; and lines to paste.
#include "priorfit/recommend.hpp"

#include <fmt/format.h>

#include <cctype>
#include <memory>
#include <optional>

#include "argument_names.hpp"
#include "command.hpp"
#include "flags.hpp"
#include "invocation.hpp"
#include "priorfit/error.hpp"
#include "priorfit/version.hpp"
#include "ranks.hpp"
#include "support/file_io.hpp"
#include "support/text.hpp"
#include "training_flags.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

struct Flags {
  const CLI::App* command = nullptr;
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
  std::string criterion = RecommendOptions{}.criterion;
  std::string current = "pytorch";
  std::string framework;
  std::string budget = "20s";
  std::optional<Index> pilots;
  bool details = false;
  TrainingFlags training;
  std::string output_variances;
  bool untie_output = false;
  std::string risk_optimizer;
  double ridge = TrainedRiskOptions{}.ridge;
  double risk_steps = 0.0;
  double risk_learning_rate = 0.0;
  Index risk_samples = RecommendOptions{}.risk_samples;
  RankFlags ranks;
};

/// Several ranks share the evidence. Growing samples, pilots and predictions of training have no such form: the
/// defaults "auto" are then evidence and all rows, and who asks for more is refused. A 0 asks for what is done anyway.
void share_among_ranks(const Flags& flags, const Console& console, RecommendOptions& options) {
  options.evidence.elsewhere = flags.ranks.evidence();
  if (!options.evidence.elsewhere) return;
  const auto refuse = [](const std::string& flag, const char* remedy) {
    throw Error(ErrorKind::usage, fmt::format("{} works in one process, and {} were started: {}, or leave out mpirun",
                                              flag, priorfit::cli::ranks(), remedy));
  };
  const auto given = [&](const char* flag) { return flags.command->get_option(flag)->count() > 0; };
  if (options.criterion != "evidence" && given("--criterion")) {
    refuse("--criterion " + options.criterion, "give evidence");
  }
  if (flags.data.samples_automatic() && given("--samples"))
    refuse("--samples auto", "give a number, or 0 for all rows");
  const bool pilots = flags.pilots ? *flags.pilots > 0 : options.pilots.budget_seconds > 0;
  for (const char* flag : {"--pilots", "--budget"}) {
    if (given(flag) && pilots) refuse(flag, "leave it out");
  }
  if (given("--risk-samples") && flags.risk_samples > 0) refuse("--risk-samples", "leave it out");
  for (const char* flag : {"--time-limit", "--risk-optimizer", "--risk-steps", "--risk-learning-rate", "--ridge"}) {
    if (given(flag)) refuse(flag, "leave it out");
  }
  console.say(fmt::format("{} ranks share the evidence of all rows: --criterion evidence, --samples 0 unless given",
                          priorfit::cli::ranks()));
  options.criterion = "evidence";
  options.rows_used_whole = 0;
  options.risk_samples = 0;
}

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
  if ((flags.risk_steps != 0) != (flags.risk_learning_rate != 0)) {
    throw Error(ErrorKind::usage, "--risk-steps and --risk-learning-rate go together: give both or neither");
  }
  if (flags.risk_steps != 0) options.time = {flags.risk_steps, flags.risk_learning_rate};
  options.optimizer = !flags.risk_optimizer.empty() ? parse_optimizer(flags.risk_optimizer)
                      : options.time                ? Optimizer::gradient_descent
                                                    : Optimizer::adam;
  return options;
}

/// "pytorch", or variances: "2,0" or "2,0,0.01"
CurrentStart current_start(const std::string& text) {
  CurrentStart current;
  if (text.empty() || (!std::isdigit(static_cast<unsigned char>(text[0])) && text[0] != '.' && text[0] != '-')) {
    current.scheme = parse_initial_scheme(text);
    return current;
  }
  const std::vector<double> numbers = parse_number_list("--current", text);
  if (numbers.size() != 2 && numbers.size() != 3) {
    throw Error(
        ErrorKind::usage,
        fmt::format("--current is '{}': give pytorch, keras, he, lecun, glorot, or variances W,B or W,B,OUTPUT", text));
  }
  current.scheme.reset();
  current.pair = {numbers[0], numbers[1]};
  if (numbers.size() == 3) current.output_weight_variance = numbers[2];
  current.validate();
  return current;
}

/// "20s", "2m", "20"
double parse_seconds(const std::string& flag, const std::string& text) {
  const char unit = text.empty() ? ' ' : text.back();
  const bool named = unit == 's' || unit == 'm';
  const double value = parse_number(flag, named ? text.substr(0, text.size() - 1) : text);
  return unit == 'm' ? 60 * value : value;
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
  options.criterion = flags.criterion == "auto" ? flags.criterion : find_criterion(flags.criterion).name;
  options.current = current_start(flags.current);
  options.pilots.budget_seconds = parse_seconds("--budget", flags.budget);
  options.pilots.count = flags.pilots;
  flags.training.apply_to(options.pilots.training);
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
  std::string text = "auto: theory chooses, short trainings confirm";
  for (const CriterionInfo& info : known_criteria()) text += fmt::format("; {}: {}", info.name, info.summary);
  return text;
}

void run(const Flags& flags) {
  const Format format = flags.output.format();
  const NetworkSpec network = flags.network.spec();
  RecommendOptions options = recommend_options(flags);
  const Console console = flags.output.console();
  share_among_ranks(flags, console, options);
  flags.output.prepare_folder(flags.data.inputs());
  console.say(fmt::format("priorfit {}", version()));
  const PreparedData data = flags.data.read(console);

  options.on_theory = [&](const std::string& sentence) { console.say(sentence); };
  std::optional<ProgressBar> bar(std::in_place, console, "recommend");
  Recommendation answer = recommend(data, network, options, flags.output.context(*bar));
  bar.reset();
  if (!speaks()) return;
  answer.command = invocation();
  answer.argument_names = argument_names();
  answer.framework = flags.framework.empty() ? usual_framework(options.current) : parse_framework(flags.framework);
  if (!flags.output.folder().empty()) {
    const bool had_page = flags.output.remove_old_page(flags.output.folder());
    write_file(flags.output.folder() / "recommendation.json", to_json(answer));
    write_file(flags.output.folder() / "grid.csv", to_csv(answer));
    const PasteLines lines = paste_lines(answer);
    write_file(flags.output.folder() / "init_torch.py", lines.pytorch);
    write_file(flags.output.folder() / "init_keras.py", lines.keras);
    write_file(flags.output.folder() / "init_flax.py", lines.flax);
    write_file(flags.output.folder() / "prepare.py", paste_preparation(answer.data.preparation));
    flags.output.write_page(flags.output.folder(), had_page);
  }
  if (flags.details && format == Format::table) {
    fmt::print("{}", for_people(to_details(answer)));
  } else if (flags.details && format == Format::markdown) {
    fmt::print("{}", printable(to_markdown_details(answer)));
  } else {
    print(answer, format);
  }
  if (answer.advice && answer.advice->pilots && answer.advice->pilots->interrupted) {
    throw Error(ErrorKind::interrupted, "interrupted: the answer above is the one so far");
  }
}

}  // namespace

void add_recommend(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("recommend", "keep your initialisation or change it, by how much, how surely");
  flags->command = command;
  flags->data.allow_automatic_samples();
  flags->data.add_to(*command, "digits");
  flags->network.add_to(*command);
  command
      ->add_option("--current", flags->current,
                   "what you would use otherwise: pytorch, keras, he, lecun, glorot, or variances W,B[,OUTPUT]")
      ->capture_default_str();
  command->add_option("--budget", flags->budget, "time for short trainings that confirm the answer, 0 for theory alone")
      ->capture_default_str();
  command->add_option("--pilots", flags->pilots, "so many short trainings instead, whatever the time: repeatable");
  command->add_option("--framework", flags->framework,
                      "lines to paste: torch, keras, flax or none (default: by --current)");
  command->add_flag("--details", flags->details, "everything that is known, after the answer");
  flags->training.add_to(*command);
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
  command->add_option("--risk-optimizer", flags->risk_optimizer,
                      "the prediction is for: adam, or gradient-descent (default: adam)");
  command->add_option("--risk-steps", flags->risk_steps, "predict gradient descent stopped after so many steps");
  command->add_option("--risk-learning-rate", flags->risk_learning_rate, "of those steps");
  command->add_option("--ridge", flags->ridge, "added to the tangent kernel, as a share of its mean diagonal")
      ->capture_default_str();
  command->add_option("--risk-samples", flags->risk_samples, "most samples used to predict training; 0: do not")
      ->capture_default_str();
  command->add_flag("--leave-one-out", flags->leave_one_out, "leave-one-out densities for every cell of a grid");
  command->add_flag("--surface", flags->surface,
                    "the evidence around the maximum, 40 × 40, in the JSON (--out has it too)");
  flags->output.add_to(*command);
  flags->output.add_report_to(*command);
  flags->ranks.add_to(*command);
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
