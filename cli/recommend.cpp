// priorfit recommend: the evidence grid, the recommended pair, lines to paste.
#include "priorfit/recommend.hpp"

#include <fmt/format.h>

#include <memory>

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
  std::string grid = "paper";
  std::string weight_variances;
  std::string bias_variances;
  std::string noise = "1e-6";
};

RecommendOptions grid_options(const Flags& flags) {
  RecommendOptions options;
  if (flags.grid != "paper") {
    throw Error(ErrorKind::usage, fmt::format("--grid '{}' is unknown (paper); for your own values use "
                                              "--weight-variances and --bias-variances", flags.grid));
  }
  if (!flags.weight_variances.empty()) {
    options.weight_variances = parse_number_list("--weight-variances", flags.weight_variances);
  }
  if (!flags.bias_variances.empty()) {
    options.bias_variances = parse_number_list("--bias-variances", flags.bias_variances);
  }
  options.noise_variance = parse_number("--noise", flags.noise);
  options.threads = flags.output.threads();
  options.validate();
  return options;
}

void run(const Flags& flags) {
  const Format format = flags.output.format();
  const NetworkSpec network = flags.network.spec();
  RecommendOptions options = grid_options(flags);
  flags.output.prepare_folder();
  const Console console = flags.output.console();
  console.say(fmt::format("priorfit {}", version()));
  const PreparedData data = flags.data.read(console);

  Progress progress(console, "evidence");
  options.progress = [&](const RecommendProgress& p) {
    progress.update(double(p.done) / double(p.total), fmt::format("{} of {} cells", p.done, p.total));
    return !interrupted();
  };
  Recommendation answer = recommend(data, network, options);
  answer.command = invocation();
  if (!flags.output.folder().empty()) {
    write_file(flags.output.folder() / "recommendation.json", to_json(answer));
    write_file(flags.output.folder() / "grid.csv", to_csv(answer));
    flags.output.write_page(flags.output.folder());
  }
  switch (format) {
    case Format::table: fmt::print("{}", to_table(answer)); break;
    case Format::json: fmt::print("{}", to_json(answer)); break;
    case Format::csv: fmt::print("{}", to_csv(answer)); break;
    case Format::markdown: fmt::print("{}", to_markdown(answer)); break;
  }
}

}  // namespace

void add_recommend(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("recommend", "which (σ_w², σ_b²) explains the data best");
  flags->data.add_to(*command, "digits");
  flags->network.add_to(*command);
  command->add_option("--grid", flags->grid, "paper: 0.4,1.2,2,2.8,3.6 × 0,1,2")->capture_default_str();
  command->add_option("--weight-variances", flags->weight_variances, "values of σ_w² to try, such as 0.5,1,2,4");
  command->add_option("--bias-variances", flags->bias_variances, "values of σ_b² to try, such as 0,0.1,1");
  command->add_option("--noise", flags->noise, "observation noise variance σ_n²")->capture_default_str();
  flags->output.add_to(*command);
  flags->output.add_report_to(*command);
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
