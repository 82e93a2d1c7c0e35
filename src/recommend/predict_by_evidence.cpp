#include "priorfit/predict_by_evidence.hpp"

#include "evidence/factorization.hpp"
#include "linalg/threads.hpp"
#include "predict/elsewhere.hpp"
#include "priorfit/error.hpp"
#include "priorfit/recommend.hpp"

namespace priorfit {
using namespace internal;
namespace {

struct Fitted {
  Initialisation start;
  double noise_variance = 0.0;
};

Fitted maximum(const PreparedData& data, const NetworkSpec& network, const PredictByEvidenceOptions& options,
               const RunContext& context) {
  RecommendOptions wanted{.criterion = "evidence", .risk_samples = 0};
  wanted.noise = options.noise_variance ? NoiseChoice::at(*options.noise_variance) : NoiseChoice::fit();
  wanted.evidence = options.evidence;
  if (wanted.evidence.elsewhere) wanted.rows_used_whole = 0;
  const Candidate best = recommend(data, network, wanted, context).best();
  require_factored(best.evidence());
  return {best.start, best.evidence().noise_variance};
}

double fitted_noise(const PreparedData& data, const NetworkSpec& network, const Initialisation& start,
                    const EvidenceOptions& evidence, const RunContext& context) {
  const ThreadScope threads(threads_for_call(context.threads).threads);
  const std::unique_ptr<Criterion> criterion = find_criterion("evidence")
                                                   .make({.inputs = data.train.inputs,
                                                          .targets = data.train.targets,
                                                          .network = network,
                                                          .options = {.evidence = evidence}});
  context.report({.stage = "fitting the noise", .fraction = 0.0});
  const Score score = criterion->judge(start, context);
  require_factored(*score.evidence());
  return score.evidence()->noise_variance;
}

}  // namespace

PredictionResult predict_by_evidence(const PreparedData& data, const NetworkSpec& network,
                                     const PredictByEvidenceOptions& options, const RunContext& context) {
  network.validate();
  context.validate();
  if (options.start) options.start->validate(network);
  if (options.noise_variance) check_noise(*options.noise_variance);
  require_test_rows(data);
  Fitted prior;
  if (!options.start) {
    prior = maximum(data, network, options, context);
  } else {
    prior.start = *options.start;
    prior.noise_variance = options.noise_variance ? *options.noise_variance
                                                  : fitted_noise(data, network, prior.start, options.evidence, context);
  }
  PredictionResult result = predict(data, network, prior.start,
                                    {.noise_variance = prior.noise_variance, .elsewhere = options.elsewhere}, context);
  result.summary.start_by_evidence = !options.start;
  result.summary.noise_by_evidence = !options.noise_variance;
  return result;
}

}  // namespace priorfit
