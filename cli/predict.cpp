// priorfit predict: Gaussian-process prediction of the test rows, with uncertainty.
#include "priorfit/predict.hpp"

#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "flags.hpp"
#include "invocation.hpp"
#include "priorfit/error.hpp"
#include "priorfit/recommendation_file.hpp"
#include "priorfit/version.hpp"
#include "support/file_io.hpp"

namespace priorfit::cli {
namespace {

struct Flags {
  DataFlags data;
  NetworkFlags network;
  OutputFlags output;
  PredictOptions options;
  LayerPrior pair;
  double output_variance = 0.0;  // 0: tied
  std::string recommendation;
};

bool is_file(const std::filesystem::path& out) { return out.extension() == ".csv" || out.extension() == ".npy"; }

void prepare_out(const OutputFlags& output) {
  if (is_file(output.folder())) return output.check_report("");
  output.prepare_folder();
}

void write_results(const std::filesystem::path& out, const PredictionResult& result, const PreparedData& data) {
  if (out.empty()) return;
  if (out.extension() == ".npy") return write_file(out, predictions_npy(result.prediction, data));
  const std::string predictions = predictions_csv(result.prediction, data);
  if (is_file(out)) return write_file(out, predictions);
  write_file(out / "predictions.csv", predictions);
  write_file(out / "prediction.json", to_json(result.summary));
}

void run(const Flags& flags) {
  const Format format = flags.output.format();
  NetworkSpec network = flags.network.spec();
  PredictOptions options = flags.options;
  Initialisation start = flags.output_variance != 0
                             ? Initialisation::with_output(network, flags.pair, flags.output_variance)
                             : Initialisation::tied(network, flags.pair);
  start.validate(network);
  if (!flags.recommendation.empty()) {
    const StoredRecommendation stored = read_recommendation(flags.recommendation);
    network = flags.network.spec(stored);
    start = stored.start;
    if (!stored.noise_variance) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} names no noise variance: its criterion needs none; recommend by the "
                              "evidence, or give the variances and --noise",
                              flags.recommendation));
    }
    options.noise_variance = *stored.noise_variance;
  }
  prepare_out(flags.output);
  const Console console = flags.output.console();
  console.say(fmt::format("priorfit {}", version()));
  const PreparedData data = flags.data.read(console);

  ProgressBar bar(console, "predict");
  PredictionResult result = predict(data, network, start, options, flags.output.context(bar));
  result.summary.command = invocation();
  write_results(flags.output.folder(), result, data);
  flags.output.write_page(flags.output.folder());
  print(result.summary, format);
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("predict", "Gaussian-process prediction of test rows, with uncertainty");
  flags->data.add_to(*command);
  flags->data.add_test_to(*command);
  flags->network.add_to(*command);
  auto* weight = command->add_option("--weight-variance", flags->pair.weight_variance, "σ_w²");
  auto* bias = command->add_option("--bias-variance", flags->pair.bias_variance, "σ_b²");
  auto* noise = command->add_option("--noise", flags->options.noise_variance, "observation noise variance σ_n²");
  for (auto* option : {weight, bias, noise}) option->capture_default_str();
  auto* output = command->add_option("--output-variance", flags->output_variance,
                                     "σ_w² of the output layer alone, without bias (default: tied)");
  command
      ->add_option("--from", flags->recommendation,
                   "recommendation.json: variances, noise, depth and activation as recommended")
      ->excludes(weight)
      ->excludes(bias)
      ->excludes(output)
      ->excludes(noise);
  flags->output.add_to(*command);
  flags->output.add_report_to(*command);
  command->get_option("--out")->description("FILE.csv or FILE.npy for the predictions, or a folder for all results");
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
