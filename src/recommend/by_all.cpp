// "auto": the evidence and a prediction of training judge many starts, pilots decide whether the best is worth a
// change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pilots/blocks.hpp"
#include "priorfit/error.hpp"
#include "priorfit/kernel.hpp"
#include "recommend/parts.hpp"
#include "recommend/starts.hpp"
#include "search/grid.hpp"

namespace priorfit {

std::string_view to_string(Verdict::Action action) { return action == Verdict::Action::keep ? "keep" : "change"; }

namespace internal {
namespace {

constexpr Index narrowest_predicted =
    64;  // below it a prediction for wide layers is off by points (docs/choice-quality.md)
constexpr Index narrowest_for_rate = 512;
constexpr Index rows_judged = 600;  // enough to rank starts, and some 50 of them take a second or two
constexpr Index few_rows = 50, few_of_a_class = 5, fewest_for_pilots = 24;
constexpr double equally_good = 0.05;  // log error: within a twentieth

bool classes(const PreparedData& data) { return data.task == Task::classification; }

void judge_starts(Advice& advice, const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options,
                  Recommendation& result, const RunContext& context) {
  const Index rows = std::min({data.train.size(), options.risk_samples, rows_judged});
  JudgedRows judged(data, rows, data.seed, network, options, "trained-risk");
  StepCounter counter(context, advice.starts.size(), "starts judged by what training is predicted to do");
  for (Candidate& start : advice.starts) {
    start.set("trained-risk", judged.criterion().judge(start.start, context));
    counter.step();
  }
  result.risk_samples = judged.data().train.size();
}

const TrainedRisk* risk_of(const Candidate& start) {
  const Score* score = start.find("trained-risk");
  return score && score->ok() ? score->risk() : nullptr;
}

/// The least predicted loss; a simpler start where it is within a twentieth.
std::size_t best_by_theory(const Advice& advice) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& start : advice.starts) {
    if (const TrainedRisk* risk = risk_of(start)) least = std::min(least, risk->loss());
  }
  for (std::size_t i = 1; i < advice.starts.size(); ++i) {
    const TrainedRisk* risk = risk_of(advice.starts[i]);
    if (risk && risk->loss() <= least * (1 + equally_good)) return i;
    if (risk && best == 0) best = i;
  }
  return best == 0 && advice.starts.size() > 1 ? 1 : best;
}

/// Classification by predicted accuracy, regression by the root of the predicted error in the target's own units.
double predicted_value(const TrainedRisk& risk, double target_scale) {
  return risk.accuracy ? *risk.accuracy : std::sqrt(risk.error) * target_scale;
}

double target_scale(const PreparedData& data) {
  // stableNorm: the square of 1e200 is none that a double holds.
  return data.target_scale.size() == 0 ? 1.0
                                       : data.target_scale.stableNorm() / std::sqrt(double(data.target_scale.size()));
}

/// From theory alone: a change only where the predicted errors are further apart than their own uncertainty.
Verdict predicted_verdict(const Advice& advice, const PreparedData& data, Index rows_predicted) {
  Verdict verdict{.metric = classes(data) ? "accuracy" : "rmse"};
  const TrainedRisk *mine = risk_of(advice.best_other()), *theirs = risk_of(advice.current());
  if (!mine || !theirs) return verdict;  // not predicted is not the same as bad: only pilots can say that it fails
  const double scale = target_scale(data);
  verdict.current_value = predicted_value(*theirs, scale);
  verdict.recommended_value = predicted_value(*mine, scale);
  verdict.gain = classes(data) ? *verdict.recommended_value - *verdict.current_value
                               : *verdict.current_value - *verdict.recommended_value;
  const auto rows = static_cast<double>(rows_predicted);
  const double error =
      classes(data)
          ? std::sqrt((*mine->accuracy * (1 - *mine->accuracy) + *theirs->accuracy * (1 - *theirs->accuracy)) / rows)
          : scale * std::hypot(mine->standard_error / (2 * std::sqrt(mine->error)),
                               theirs->standard_error / (2 * std::sqrt(theirs->error)));
  verdict.gain_standard_error = error;
  verdict.gain_interval = Interval{*verdict.gain - 1.96 * error, *verdict.gain + 1.96 * error};
  if (verdict.gain_interval->lower > 0) verdict.action = Verdict::Action::change;
  return verdict;
}

Verdict measured_verdict(const Advice& advice, const PreparedData& data) {
  const PilotStudy& pilots = *advice.pilots;
  Verdict verdict{.metric = classes(data) ? "accuracy" : "rmse", .measured = true};
  const auto& current = pilots.measured[0];
  const auto& other = pilots.measured[advice.finalist];
  if (current) verdict.current_value = current->value;
  if (other) verdict.recommended_value = other->value;
  const auto diverged = [&](std::size_t start) {
    return std::count_if(pilots.results.begin(), pilots.results.end(), [&](const PilotResult& result) {
      return result.candidate == start && result.block > 0 && !std::isfinite(result.error);
    });
  };
  if (!current && other && diverged(0) > 1 && diverged(advice.finalist) == 0) {
    verdict.current_fails = true;
    verdict.action = Verdict::Action::change;
  }
  if (!pilots.gain) return verdict;
  const MeasuredGain& gain = *pilots.gain;
  const double unit = classes(data) || !current ? 1.0 : current->value;  // a share of the error, as an error
  verdict.gain = gain.mean * unit;
  verdict.gain_standard_error = gain.standard_error * unit;
  verdict.gain_interval = Interval{gain.lower * unit, gain.upper * unit};
  if (gain.positive()) verdict.action = Verdict::Action::change;
  return verdict;
}

/// Starts that theory and pilots together do not tell from the best.
std::vector<std::size_t> equally_good_starts(const Advice& advice) {
  std::vector<std::size_t> found;
  std::vector<double> expected;
  if (advice.pilots) {
    expected = advice.pilots->expected;
  } else {
    for (const Candidate& start : advice.starts) {
      const TrainedRisk* risk = risk_of(start);
      expected.push_back(risk ? std::log(std::max(1e-6, risk->loss())) : std::numeric_limits<double>::infinity());
    }
  }
  if (expected.empty()) return found;
  const double least = *std::min_element(expected.begin(), expected.end());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] <= least + equally_good) found.push_back(i);
  }
  return found;
}

/// Largest eigenvalue by power iteration, to a per cent: the steps of descent need no more.
double largest_eigenvalue(const Matrix& matrix) {
  Vector vector = Vector::Ones(matrix.rows()).normalized();
  double value = 0.0;
  for (int i = 0; i < 100; ++i) {
    const Vector next = matrix * vector;
    const double size = next.norm();
    if (!(size > 0) || !std::isfinite(size)) return size;
    vector = next / size;
    if (std::abs(size - value) <= 1e-4 * size) return size;
    value = size;
  }
  return value;
}

/// Descent on the mean squared error is stable below 2 / (2/(samples · outputs) · λ), λ the largest eigenvalue of Θ.
std::optional<double> largest_stable_rate(const PreparedData& data, const NetworkSpec& network,
                                          const Initialisation& start, const RecommendOptions& options) {
  if (*std::min_element(network.hidden_widths.begin(), network.hidden_widths.end()) < narrowest_for_rate) return {};
  const Index rows = std::min({data.train.size(), options.risk_samples, rows_judged});
  const Matrix tangent = tangent_kernel(network, start.layers, data.train.inputs.topRows(rows));
  const double eigenvalue = largest_eigenvalue(tangent);
  if (!(std::isfinite(eigenvalue) && eigenvalue > 0)) return {};
  return static_cast<double>(rows) * static_cast<double>(data.outputs()) / eigenvalue;
}

std::vector<std::string> cautions_of(const PreparedData& data) {
  std::vector<std::string> cautions;
  const Index rows = data.train.size();
  if (rows < few_rows) {
    cautions.push_back(fmt::format("{} rows are few: another draw of them may well give another answer.", rows));
  }
  const auto distinct = static_cast<Index>(identical_rows(data.train.inputs).size());
  if (10 * (rows - distinct) >= rows) {
    cautions.push_back(
        fmt::format("{} of {} rows repeat the inputs of another: they are left out together, and count as fewer rows.",
                    rows - distinct, rows));
  }
  if (classes(data)) {
    std::vector<Index> counts(static_cast<std::size_t>(data.outputs()), 0);
    for (const int label : data.train.labels) ++counts[static_cast<std::size_t>(label)];
    const auto rare = std::count_if(counts.begin(), counts.end(), [](Index n) { return n < few_of_a_class; });
    if (rare > 0) {
      cautions.push_back(fmt::format("{} of {} classes {} fewer than {} rows: what is said holds for the others.", rare,
                                     counts.size(), rare == 1 ? "has" : "have", few_of_a_class));
    }
  }
  return cautions;
}

std::string theory_sentence(const Advice& advice, const PreparedData& data) {
  const std::size_t best = best_by_theory(advice);
  const TrainedRisk *mine = risk_of(advice.starts[best]), *theirs = risk_of(advice.current());
  if (!mine || !theirs) return "theory: what training does could not be predicted; pilots decide";
  const auto text = [&](const TrainedRisk& risk) {
    const double value = predicted_value(risk, target_scale(data));
    return risk.accuracy ? fmt::format("{:.1f} %", 100 * value) : fmt::format("RMSE {:.4g}", value);
  };
  return fmt::format("theory, for squared error: {} from {}, {} from {}", text(*theirs), advice.names.front(),
                     text(*mine), advice.names[best]);
}

}  // namespace

Recommendation recommend_by_all(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options,
                                const RunContext& context) {
  RecommendOptions by_evidence = options;
  by_evidence.criterion = "evidence";
  by_evidence.also = std::vector<std::string>();
  // Its line of the table needs no more rows than are used whole: a sample that grew would take longer than the pilots,
  // and end by the clock.
  std::optional<PreparedData> drawn;
  if (const Index most = options.rows_used_whole; most > 0 && data.train.size() > most) {
    drawn = draw_rows(data, most, data.seed);
  }
  Recommendation result = recommend_continuous(drawn ? *drawn : data, network, resolved(by_evidence), context);
  result.data = summarize(data);

  Advice advice;
  advice.training = options.pilots.training.resolved(classes(data));
  list_starts(advice, network, data.features(), data.outputs(), options);
  advice.by_evidence =
      add_start(advice, {.start = result.chosen.start}, "by the evidence " + spoken_name(result.chosen.start));
  advice.starts[advice.by_evidence].set("evidence", *result.chosen.find("evidence"));
  for (const Candidate& baseline : result.baselines) {
    for (Candidate& start : advice.starts) {
      if (start.start == baseline.start) start.set("evidence", *baseline.find("evidence"));
    }
  }
  advice.theory_applies =
      *std::min_element(network.hidden_widths.begin(), network.hidden_widths.end()) >= narrowest_predicted;
  if (options.risk_samples > 0) judge_starts(advice, data, network, options, result, context);
  for (Candidate& baseline : result.baselines) {
    for (const Candidate& start : advice.starts) {
      const Score* score = start.find("trained-risk");
      if (score && start.start == baseline.start) baseline.set("trained-risk", *score);
    }
  }
  if (options.on_theory) options.on_theory(theory_sentence(advice, data));
  advice.cautions = cautions_of(data);

  if (options.pilots.wanted() && data.train.size() >= fewest_for_pilots) {
    PilotQuestion question{.current = 0, .trust_theory = advice.theory_applies, .options = options.pilots};
    for (std::size_t i = 0; i < advice.starts.size(); ++i) {
      if (advice.starts[i].start.scheme == InitialScheme::he) question.also.push_back(i);
    }
    try {
      advice.pilots = run_pilots(data, network, advice.starts, question, context);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::resource) throw;
      advice.cautions.push_back(fmt::format("No network was trained to confirm this: {}.", error.what()));
    }
  }
  if (advice.pilots) {
    advice.finalist = advice.pilots->finalist;
    advice.verdict = measured_verdict(advice, data);
  } else {
    advice.finalist = best_by_theory(advice);
    advice.verdict = predicted_verdict(advice, data, result.risk_samples);
  }
  advice.as_good = equally_good_starts(advice);
  advice.verdict.flat = 3 * advice.as_good.size() >= advice.starts.size();
  const bool change = advice.verdict.action == Verdict::Action::change;
  result.chosen = change ? advice.best_other() : advice.current();
  result.criterion = "auto";
  result.target_scale = target_scale(data);
  advice.largest_stable_rate = largest_stable_rate(data, network, result.chosen.start, options);
  result.advice = std::move(advice);
  return result;
}

}  // namespace internal
}  // namespace priorfit
