// Pilots: short trainings of a few starts, chosen by theory (M10), that measure what a start is worth.
//
//     std::vector<Candidate> starts = …;                                   // the first is what would be used otherwise
//     PilotStudy study = run_pilots(data, network, starts, {.current = 0, .options = {.count = 30}});
//     study.finalist, study.gain->mean;                                    // over the first, on rows apart from
//     choosing
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "priorfit/criterion.hpp"
#include "priorfit/training.hpp"

namespace priorfit {

struct PilotOptions {
  TrainOptions training = {};       // what the caller will do: loss, optimiser, rate, batch, epochs
  double budget_seconds = 20.0;     // >= 0; no pilot is begun later; 0: none is trained
  std::optional<Index> count = {};  // so many networks instead, whatever the time: the same result every time

  /// Throws Error(usage) that names field, value and rule.
  void validate() const;
  bool wanted() const { return count ? *count > 0 : budget_seconds > 0; }
};

/// What networks trained from one start did on rows that were left out.
struct MeasuredStart {
  Index networks = 0;
  double value = 0.0;           // accuracy, or root mean squared error in the target's own units; mean over the blocks
  double standard_error = 0.0;  // over other draws of rows and seeds
};

/// The finalist against the current start, paired by block of rows left out and seed.
struct MeasuredGain {
  Index blocks = 0;             // of rows, each left out in turn
  Index seeds = 0;              // networks per block and start
  double mean = 0.0;            // accuracy gained, or share of the root mean squared error lost
  double standard_error = 0.0;  // over other draws of rows and seeds
  double lower = 0.0;           // 95 %, valid although it may have been looked at twice
  double upper = 0.0;

  bool positive() const { return lower > 0; }
};

struct PilotResult {
  std::size_t candidate = 0;  // of the candidates given
  Index block = 0;            // of rows left out; 0: those that starts are chosen on
  std::uint64_t seed = 0;
  double error = 0.0;  // share of wrong classes, or mean squared error in the target's units; NaN: training diverged
  double loss = 0.0;   // on the same rows
};

struct PilotStudy {
  Index count = 0;   // networks trained
  Index rows = 0;    // training rows drawn on
  Index epochs = 0;  // of each network
  std::vector<PilotResult> results;
  std::size_t current = 0, finalist = 0;  // of the candidates
  std::vector<double> expected;   // per candidate: log error relative to the current start's, by theory and pilots
  std::vector<double> deviation;  // of that
  std::vector<std::optional<MeasuredStart>> measured;  // per candidate, where it was confirmed
  std::optional<MeasuredGain> gain;
  bool theory_used = true;   // as prior of what pilots will show
  bool interrupted = false;  // the answer so far
  std::string ended_by;      // "decision", "budget", "count", "interrupted"
};

struct PilotQuestion {
  std::size_t current = 0;             // what would be used otherwise, of the candidates
  std::vector<std::size_t> also = {};  // candidates to measure beside the finalist, where there is time
  bool trust_theory = true;            // false: pilots decide alone, as where layers are too narrow to predict
  PilotOptions options = {};
};

/// How many rows and epochs pilots take: the caller's, or as many as some 0.6 s of one core allow, counted in
/// operations and not by a clock, so that the same call does the same work everywhere.
struct PilotLength {
  Index rows = 0;
  Index epochs = 0;
};
PilotLength pilot_length(const NetworkSpec& network, Index rows, Index features, Index outputs,
                         const TrainOptions& training);

/// Rows that are the same are left out together. Cancelled by `context` it returns what it has, marked interrupted.
/// Throws Error(usage) without candidates, Error(data) with fewer than 24 rows.
PilotStudy run_pilots(const PreparedData& data, const NetworkSpec& network, const std::vector<Candidate>& candidates,
                      const PilotQuestion& question, const RunContext& context = {});

}  // namespace priorfit
