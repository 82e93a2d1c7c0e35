#include "priorfit/recommend.hpp"

#include <algorithm>

#include "criteria/evidence_criterion.hpp"
#include "evidence/elsewhere.hpp"
#include "evidence/factorization.hpp"
#include "linalg/fits.hpp"
#include "linalg/threads.hpp"
#include "recommend/parts.hpp"
#include "search/continuous.hpp"
#include "search/grid.hpp"
#include "support/memory.hpp"
#include "support/stopwatch.hpp"

namespace priorfit {
using namespace internal;
namespace internal {
namespace {

const std::vector<int>* labels_of(const PreparedData& data) {
  return data.task == Task::classification ? &data.train.labels : nullptr;
}

/// The other criteria judge what is recommended and what it is compared with.
void judge_by_others(Recommendation& result, const PreparedData& data, const RecommendOptions& options,
                     const RunContext& context) {
  for (const std::string& name : *options.also) {
    const CriterionInfo& info = find_criterion(name);
    const Index most = info.most_rows ? info.most_rows(criterion_options(options)) : options.rows_used_whole;
    JudgedRows rows(data, most > 0 ? std::min(most, data.train.size()) : data.train.size(), data.seed, result.network,
                    options, name);
    StepCounter counter(context, result.baselines.size() + 1, "starts judged by " + name);
    const auto judge = [&](Candidate& candidate) {
      candidate.set(name, rows.criterion().judge_in_full(candidate.start, context));
      counter.step();
    };
    judge(result.chosen);
    for (Candidate& baseline : result.baselines) judge(baseline);
    if (name == "trained-risk") result.risk_samples = rows.data().train.size();
  }
}

/// Where the evidence of all rows is searched: before anything else is done, for the whole of the search.
void check_search_fits(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options) {
  const Index rows = data.train.size();
  const bool all_rows = options.rows_used_whole == 0 || rows <= options.rows_used_whole;
  if (!all_rows || (options.criterion != "auto" && options.criterion != "evidence")) return;
  if (options.evidence.elsewhere) {
    return options.evidence.elsewhere->require_memory(rows, data.features(), data.outputs(), network.depth());
  }
  const bool grid = std::holds_alternative<GridSearch>(options.search);
  require_memory("the evidence", rows, [&](Index samples) {
    return grid ? evidence_bytes(samples, data.outputs(), network.depth())
                : search_bytes(samples, data.features(), data.outputs(), network.depth());
  });
}

}  // namespace

JudgedRows::JudgedRows(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options,
                       const std::string& criterion)
    : all_(&data) {
  make(network, options, criterion);
}

JudgedRows::JudgedRows(const PreparedData& data, Index samples, std::uint64_t seed, const NetworkSpec& network,
                       const RecommendOptions& options, const std::string& criterion)
    : all_(&data) {
  if (samples < data.train.size()) drawn_ = std::make_unique<PreparedData>(draw_rows(data, samples, seed));
  make(network, options, criterion);
}

void JudgedRows::make(const NetworkSpec& network, const RecommendOptions& options, const std::string& criterion) {
  const Samples& train = data().train;
  criterion_ = find_criterion(criterion).make({.inputs = train.inputs,
                                               .targets = train.targets,
                                               .labels = labels_of(data()),
                                               .network = network,
                                               .options = criterion_options(options)});
}

}  // namespace internal

std::optional<double> Recommendation::gain_over(const Candidate& other) const {
  const Score *mine = chosen.find("evidence"), *its = other.find("evidence");
  if (!mine || !its || !mine->ok() || !its->ok()) return std::nullopt;
  return mine->value() - its->value();
}

Recommendation recommend(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& asked,
                         const RunContext& given) {
  asked.validate();
  network.validate();
  given.validate();
  const RecommendOptions options = internal::resolved(asked);
  const internal::Stopwatch watch;  // looking for free cores takes its time, too
  RunContext context = given;
  context.threads = threads_for_call(given.threads).threads;
  const ThreadScope threads(context.threads);
  check_search_fits(data, network, options);
  const bool automatic = options.criterion == "auto";
  Recommendation result = automatic ? internal::recommend_by_all(data, network, options, context)
                          : std::holds_alternative<GridSearch>(options.search)
                              ? internal::recommend_from_grid(data, network, options, context)
                              : internal::recommend_continuous(data, network, options, context);
  result.risk_options = options.risk;
  if (!automatic) internal::judge_by_others(result, data, options, context);
  result.threads = context.threads;
  result.seconds = watch.seconds();
  result.peak_bytes = peak_memory();
  return result;
}

}  // namespace priorfit
