// priorfit simulate: does the evidence find the prior that sample paths were drawn from?
#include "priorfit/simulate.hpp"

#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "flags.hpp"
#include "invocation.hpp"
#include "priorfit/version.hpp"
#include "support/file_io.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

struct Flags {
  OutputFlags output;
  SimulationOptions options;
  std::string target = "paths";
  std::string weight_variances;
  std::string bias_variances;
};

void run(const Flags& flags) {
  const Format format = flags.output.format();
  SimulationOptions options = flags.options;
  options.target = parse_simulation_target(flags.target);
  if (!flags.weight_variances.empty()) {
    options.weight_variances = parse_number_list("--weight-variances", flags.weight_variances);
  }
  if (!flags.bias_variances.empty()) {
    options.bias_variances = parse_number_list("--bias-variances", flags.bias_variances);
  }
  options.validate();
  flags.output.prepare_folder();
  const Console console = flags.output.console();
  console.say(fmt::format("priorfit {}", version()));
  ProgressBar bar(console, "simulate");
  Simulation study = simulate(options, flags.output.context(bar));
  study.command = invocation();
  if (!flags.output.folder().empty()) {
    const bool had_page = flags.output.remove_old_page(flags.output.folder());
    write_file(flags.output.folder() / "simulation.json", to_json(study));
    write_file(flags.output.folder() / "seeds.csv", to_csv(study));
    flags.output.write_page(flags.output.folder(), had_page);
  }
  print(study, format);
}

}  // namespace

void add_simulate(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("simulate", "the one-dimensional recovery study");
  command->add_option("--seeds", flags->options.seeds, "repetitions")->capture_default_str();
  command->add_option("--seed", flags->options.first_seed, "the first of them")->capture_default_str();
  command->add_option("--noise", flags->options.noise_variance, "noise variance of draw and model")
      ->capture_default_str();
  command->add_option("--target", flags->target, "paths: each path an output; mean: their mean, as the paper has it")
      ->capture_default_str();
  command->add_option("--weight-variances", flags->weight_variances,
                      "values of σ_w² to try (default 0.4,1.2,2,2.8,3.6)");
  command->add_option("--bias-variances", flags->bias_variances, "values of σ_b² to try (default 0.0001,0.01,0.02)");
  flags->output.add_to(*command);
  flags->output.add_report_to(*command);
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
