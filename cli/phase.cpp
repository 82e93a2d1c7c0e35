// priorfit phase: where in (σ_w², σ_b²) a signal crosses a deep network, with the critical line.
#include <memory>

#include "command.hpp"
#include "flags.hpp"
#include "invocation.hpp"
#include "priorfit/signal.hpp"
#include "support/file_io.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

struct Flags {
  OutputFlags output;
  PhaseOptions options;
  std::string activation = "relu";
  std::string weight_variances;
  std::string bias_variances;
};

void run(const Flags& flags) {
  const Format format = flags.output.format();
  PhaseOptions options = flags.options;
  options.activation = Activation::parse(flags.activation);
  if (!flags.weight_variances.empty()) {
    options.weight_variances = parse_number_list("--weight-variances", flags.weight_variances);
  }
  if (!flags.bias_variances.empty()) {
    options.bias_variances = parse_number_list("--bias-variances", flags.bias_variances);
  }
  options.validate();
  flags.output.prepare_folder();
  PhaseMap map = phase_map(options);
  map.command = invocation();
  if (!flags.output.folder().empty()) {
    const bool had_page = flags.output.remove_old_page(flags.output.folder());
    write_file(flags.output.folder() / "phase.json", to_json(map));
    write_file(flags.output.folder() / "phase.csv", to_csv(map));
    flags.output.write_page(flags.output.folder(), had_page);
  }
  print(map, format);
}

}  // namespace

void add_phase(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("phase", "map of signal propagation, with the critical line");
  command->add_option("--activation", flags->activation, activation_help())->capture_default_str();
  command->add_option("--depth", flags->options.depth, "hidden layers a signal has to cross")->capture_default_str();
  command->add_option("--weight-variances", flags->weight_variances, "values of σ_w² (default 0.25, 0.5 to 4)");
  command->add_option("--bias-variances", flags->bias_variances,
                      "values of σ_b² (default 0,0.01,0.02,0.05,0.1,0.2,0.5,1)");
  flags->output.add_to(*command);
  flags->output.add_report_to(*command);
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
