// priorfit predict: Gaussian-process prediction of the test rows, with uncertainty.
#include "priorfit/predict_by_evidence.hpp"

#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "flags.hpp"
#include "invocation.hpp"
#include "overwrite.hpp"
#include "priorfit/recommendation_file.hpp"
#include "priorfit/version.hpp"
#include "ranks.hpp"
#include "support/file_io.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

struct Flags {
  DataFlags data;
  NetworkFlags network;
  OutputFlags output;
  LayerPrior pair;
  double noise_variance = 0.0;
  double output_variance = 0.0;  // 0: tied
  std::string recommendation;
  RankFlags ranks;
  CLI::Option *weight_option = nullptr, *bias_option = nullptr, *output_option = nullptr, *noise_option = nullptr;

  /// What was named; the rest is left to the evidence.
  PredictByEvidenceOptions given(const NetworkSpec& spec) const {
    PredictByEvidenceOptions options{.evidence = {.elsewhere = ranks.evidence()}, .elsewhere = ranks.prediction()};
    if (weight_option->count() + bias_option->count() + output_option->count() > 0) {
      options.start = output_variance != 0 ? Initialisation::with_output(spec, pair, output_variance)
                                           : Initialisation::tied(spec, pair);
      options.start->validate(spec);
    }
    if (noise_option->count() > 0) options.noise_variance = noise_variance;
    return options;
  }
};

bool is_file(const std::filesystem::path& out) { return out.extension() == ".csv" || out.extension() == ".npy"; }

void prepare_out(const Flags& flags) {
  const OutputFlags& output = flags.output;
  std::vector<std::string> inputs = flags.data.inputs();
  inputs.push_back(flags.recommendation);
  if (!is_file(output.folder())) return output.prepare_folder(inputs);
  output.check_report("");
  check_file(output.folder(), "predict", inputs, output.force());
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
  PredictByEvidenceOptions options = flags.given(network);
  if (!flags.recommendation.empty()) {
    const StoredRecommendation stored = read_recommendation(flags.recommendation);
    network = flags.network.spec(stored);
    options.start = stored.start;
    options.noise_variance = stored.noise_variance;
  }
  prepare_out(flags);
  const Console console = flags.output.console();
  console.say(fmt::format("priorfit {}", version()));
  const PreparedData data = flags.data.read(console);

  ProgressBar bar(console, "predict");
  PredictionResult result = predict_by_evidence(data, network, options, flags.output.context(bar));
  if (!speaks()) return;
  result.summary.command = invocation();
  const bool had_page = !is_file(flags.output.folder()) && flags.output.remove_old_page(flags.output.folder());
  write_results(flags.output.folder(), result, data);
  flags.output.write_page(flags.output.folder(), had_page);
  print(result.summary, format);
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("predict", "Gaussian-process prediction of test rows, with uncertainty");
  flags->data.add_to(*command);
  flags->data.add_test_to(*command);
  flags->network.add_to(*command);
  auto* weight = command->add_option("--weight-variance", flags->pair.weight_variance,
                                     "σ_w² (default: by the evidence; 2 where --bias-variance is given)");
  auto* bias = command->add_option("--bias-variance", flags->pair.bias_variance,
                                   "σ_b² (default: by the evidence; 0 where --weight-variance is given)");
  auto* noise = command->add_option("--noise", flags->noise_variance,
                                    "observation noise variance σ_n² (default: by the evidence)");
  auto* output = command->add_option("--output-variance", flags->output_variance,
                                     "σ_w² of the output layer alone, without bias (default: tied)");
  flags->weight_option = weight;
  flags->bias_option = bias;
  flags->output_option = output;
  flags->noise_option = noise;
  command
      ->add_option("--from", flags->recommendation,
                   "recommendation.json: variances, depth and activation as recommended; its noise where it names one, "
                   "else by the evidence")
      ->excludes(weight)
      ->excludes(bias)
      ->excludes(output)
      ->excludes(noise);
  flags->output.add_to(*command);
  flags->output.add_report_to(*command);
  flags->ranks.add_to(*command);
  command->get_option("--out")->description("FILE.csv or FILE.npy for the predictions, or a folder for all results");
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
