// Pilots choose on one part of the rows and measure on the others, block by block.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mlp/training_checks.hpp"
#include "pilots/blocks.hpp"
#include "pilots/gain.hpp"
#include "pilots/surrogate.hpp"
#include "priorfit/error.hpp"
#include "priorfit/pilots.hpp"
#include "support/stopwatch.hpp"

namespace priorfit {
namespace internal {
namespace {

constexpr Index blocks_in_all = 12;
constexpr std::size_t choosing_blocks = 3;  // left out while choosing; each of the others in turn while confirming
constexpr Index choosing_pilots = 16;
constexpr std::size_t at_once = 4;      // chosen together, so that two cores are busy; never by the number of threads
constexpr Index looks = 2;              // at the gain, with one and with two networks per block
constexpr double process_noise = 0.01;  // variance of a pilot's log error beside its sampling (M10)
constexpr double most_above_least = 2;  // of the prior mean: where theory expects ruin, it need not say how much

/// How starts are chosen, as the benchmark of choices picks it for each loss (bench/choices/chosen.tsv, pilots in
/// sequence; docs/choice-quality.md). The prior mean is `trust` times the log of the predicted error.
struct ChoosingRule {
  double trust;
  bool by_loss;  // pilots are compared by their loss, else by wrong classes or root mean squared error
  Smoothness smoothness;
};
constexpr ChoosingRule for_squared_classes = {0.5, true, {.amplitude = 0.2}};
constexpr ChoosingRule for_cross_entropy = {0.25, false, {.amplitude = 0.2}};
constexpr ChoosingRule for_regression = {0.5, false, {.amplitude = 0.05, .by_depth = true}};

constexpr double equally_good = 0.02;  // log error

constexpr double operations = 2e10;  // of one pilot: some 0.6 s of one core
constexpr double operations_per_second = 3.3e10;
constexpr double choosing_share = 0.4;  // of the budget: a choice that nothing is left to measure is no answer
constexpr double patience = 3.0;        // budgets that a single pilot may take
constexpr Index most_rows = 2000, fewest_epochs = 20, fewest_rows = 200;

class PilotRun {
 public:
  PilotRun(const PreparedData& data, const NetworkSpec& network, const std::vector<Candidate>& candidates,
           const PilotQuestion& question, const PilotLength& length, const RunContext& context)
      : data_(data),
        network_(network),
        candidates_(candidates),
        question_(question),
        context_(context),
        training_(question.options.training),
        blocks_(deal_rows(data.train, blocks_in_all, data.seed)) {
    training_.epochs = length.epochs;
    training_.learning_rate.warmup_epochs =
        std::min(training_.learning_rate.warmup_epochs, std::max<Index>(0, length.epochs - 1));
    training_.evaluate_every = 0;
    training_.checkpoint.clear();
    training_.target_scale = data.target_scale;
    study_.rows = data.train.size();
    study_.epochs = length.epochs;
    study_.current = study_.finalist = question.current;
    study_.theory_used = question.trust_theory;
    study_.measured.resize(candidates.size());
    study_.ended_by = "decision";
    for (std::size_t b = choosing_blocks; b < blocks_.size(); ++b) kept_.push_back(all_but(blocks_, b, b + 1));
    chosen_on_ = all_but(blocks_, 0, choosing_blocks);
    for (std::size_t b = 0; b < choosing_blocks; ++b)
      judged_on_.insert(judged_on_.end(), blocks_[b].begin(), blocks_[b].end());
  }

  PilotStudy run() {
    Surrogate surrogate = make_surrogate();
    try {
      choose(surrogate);
      name_finalist(surrogate);
      confirm();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::interrupted) throw;
      study_.interrupted = true;
      study_.ended_by = "interrupted";
      name_finalist(surrogate);
      summarise();
    }
    return std::move(study_);
  }

 private:
  struct Order {
    std::size_t candidate;
    Index block;  // 0: while choosing; else a block that is left out, from 1
    std::uint64_t seed;
  };

  Surrogate make_surrogate() const {
    std::vector<Initialisation> starts;
    std::vector<double> prior;
    double sum = 0.0, count = 0.0, least = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : candidates_) {
      starts.push_back(candidate.start);
      const bool known = question_.trust_theory && candidate.has_risk() && candidate.risk().ok();
      prior.push_back(known ? log_predicted(candidate.risk()) : NAN);
      if (known) sum += prior.back(), ++count, least = std::min(least, prior.back());
    }
    if (count == 0) return Surrogate(starts, {}, rule().smoothness);
    for (double& value : prior) {
      value = rule().trust * std::min(least + most_above_least, std::isfinite(value) ? value : sum / count);
    }
    return Surrogate(starts, prior, rule().smoothness);
  }

  const ChoosingRule& rule() const {
    if (!classes()) return for_regression;
    return cross_entropy() ? for_cross_entropy : for_squared_classes;
  }

  /// Of wrong classes, or of the root mean squared error.
  double log_predicted(const TrainedRisk& risk) const {
    if (!risk.accuracy) return 0.5 * std::log(std::max(1e-12, risk.error));
    return std::log(std::max(0.5 / static_cast<double>(data_.train.size()), 1 - *risk.accuracy));
  }
  bool cross_entropy() const { return training_.loss.value_or(default_loss(classes())) == Loss::cross_entropy; }
  bool classes() const { return data_.task == Task::classification; }

  bool may_go_on(std::size_t networks, double share_of_budget = 1.0) const {
    const PilotOptions& options = question_.options;
    if (options.count) return study_.count + static_cast<Index>(networks) <= *options.count;
    return watch_.seconds() < share_of_budget * options.budget_seconds;
  }
  bool may_choose(std::size_t networks) const { return may_go_on(networks, choosing_share); }
  void end_early() { study_.ended_by = question_.options.count ? "count" : "budget"; }

  void train(const std::vector<Order>& orders, const std::string& stage) {
    std::vector<NetworkTask> tasks;
    for (const Order& order : orders) {
      const std::size_t b = choosing_blocks + static_cast<std::size_t>(order.block) - 1;
      const bool choosing = order.block == 0;
      tasks.push_back({.start = candidates_[order.candidate].start,
                       .seed = order.seed,
                       .train_rows = choosing ? chosen_on_ : kept_[b - choosing_blocks],
                       .test_rows = choosing ? judged_on_ : blocks_[b]});
    }
    RunContext inner{.threads = context_.threads, .memory_bytes = context_.memory_bytes};
    inner.progress = [&](const Progress&) {
      if (!context_.progress) return true;
      return context_.progress({fmt::format("pilot {}: {}", study_.count + 1, stage), fraction()});
    };
    std::vector<PilotResult> results(orders.size());
    std::vector<char> finished(orders.size(), 0);
    const auto note = [&](std::size_t i, const TrainingSummary& summary, const Mlp&) {
      results[i] = {orders[i].candidate, orders[i].block, orders[i].seed, error_of(summary), loss_of(summary)};
      finished[i] = 1;
    };
    const auto keep = [&] {
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (finished[i]) study_.results.push_back(results[i]), ++study_.count;
      }
    };
    try {
      train_many(network_, data_, tasks, training_, inner, note);
    } catch (const Error&) {
      keep();
      throw;
    }
    keep();
  }

  std::optional<double> fraction() const {
    const PilotOptions& options = question_.options;
    if (options.count) return std::min(1.0, double(study_.count) / double(std::max<Index>(1, *options.count)));
    return std::min(1.0, watch_.seconds() / options.budget_seconds);
  }

  double error_of(const TrainingSummary& summary) const {
    const double none = std::numeric_limits<double>::quiet_NaN();
    if (summary.diverged || !summary.test) return none;
    if (classes()) return summary.test->accuracy ? 1 - *summary.test->accuracy : none;
    return summary.test->rmse ? *summary.test->rmse * *summary.test->rmse : none;
  }

  static double loss_of(const TrainingSummary& summary) {
    return summary.diverged || !summary.test ? std::numeric_limits<double>::quiet_NaN() : summary.test->loss;
  }

  /// One network per start, on the rows of the choosing blocks: the current start first, then what theory expects most
  /// of, then where theory and pilots together see the least error that is possible.
  void choose(Surrogate& surrogate) {
    while (observed_ < static_cast<std::size_t>(choosing_pilots) && observed_ < candidates_.size()) {
      if (!may_choose(1)) return;
      Surrogate imagined = surrogate;
      std::vector<Order> orders;
      while (orders.size() < at_once && observed_ + orders.size() < static_cast<std::size_t>(choosing_pilots) &&
             observed_ + orders.size() < candidates_.size() && may_choose(orders.size() + 1)) {
        const std::size_t next = observed_ + orders.size() == 0 ? question_.current : imagined.next();
        orders.push_back({next, 0, data_.seed + orders.size() + observed_});
        imagined.observe(next, imagined.belief().mean[static_cast<Index>(next)], process_noise);
      }
      train(orders, "looking for the best start");
      observe_new(surrogate);
    }
  }

  void observe_new(Surrogate& surrogate) {
    const auto held_out = static_cast<double>(judged_on_.size());
    for (; observed_ < study_.results.size(); ++observed_) {
      const PilotResult& result = study_.results[observed_];
      if (!std::isfinite(result.error)) {
        surrogate.observe(result.candidate, std::numeric_limits<double>::infinity(), process_noise);
      } else if (!classes()) {
        surrogate.observe(result.candidate, 0.5 * std::log(std::max(1e-300, result.error)), process_noise);
      } else if (rule().by_loss) {
        surrogate.observe(result.candidate, std::log(std::max(1e-9, result.loss)), process_noise);
      } else {
        // A share of wrong classes is a count: half a row more, so that none is no logarithm of 0. Its sampling is
        // shared by all starts in part, since the rows are the same.
        const double error = (result.error * held_out + 0.5) / (held_out + 1);
        surrogate.observe(result.candidate, std::log(error), process_noise + 0.5 * (1 - error) / (held_out * error));
      }
    }
  }

  /// The best of all but the current start, which it is compared with; of those about as good the first, so that
  /// another draw of rows gives the same name.
  void name_finalist(const Surrogate& surrogate) {
    const Surrogate::Belief belief = surrogate.belief_relative_to(question_.current);
    study_.expected.assign(belief.mean.begin(), belief.mean.end());
    study_.deviation.assign(belief.deviation.begin(), belief.deviation.end());
    double least = std::numeric_limits<double>::infinity();
    const auto is_other = [&](std::size_t i) {
      return !(candidates_[i].start == candidates_[question_.current].start);
    };
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (is_other(i)) least = std::min(least, study_.expected[i]);
    }
    for (std::size_t i = candidates_.size(); i-- > 0;) {
      if (is_other(i) && study_.expected[i] <= least + equally_good) study_.finalist = i;
    }
  }

  void confirm() {
    if (study_.finalist == question_.current) return;
    for (Index look = 1; look <= looks; ++look) {
      std::vector<std::size_t> starts = {question_.current, study_.finalist};
      if (look == 1) {
        for (const std::size_t other : question_.also) {
          if (std::find(starts.begin(), starts.end(), other) == starts.end()) starts.push_back(other);
        }
      }
      for (std::size_t k = 0; k < kept_.size(); ++k) {
        std::vector<Order> orders;
        for (const std::size_t start : starts) {
          // The pair shares its seed, and so the order of rows and, but for scale, the weights.
          orders.push_back(
              {start, static_cast<Index>(k) + 1, data_.seed + 1000 * static_cast<std::uint64_t>(look) + k});
        }
        if (!may_go_on(2)) {
          end_early();
          return summarise();
        }
        if (!may_go_on(orders.size())) orders.resize(2);
        train(orders, "measuring");
      }
      summarise();
      if (study_.gain && (study_.gain->positive() || study_.gain->upper < 0)) return;
    }
  }

  void summarise() {
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      study_.measured[i] = measured_start(study_.results, i, classes());
    study_.gain = measured_gain(study_.results, question_.current, study_.finalist, classes(), looks);
  }

  const PreparedData& data_;
  const NetworkSpec& network_;
  const std::vector<Candidate>& candidates_;
  const PilotQuestion& question_;
  const RunContext& context_;
  TrainOptions training_;
  std::vector<Block> blocks_, kept_;
  Block chosen_on_, judged_on_;
  Stopwatch watch_;
  PilotStudy study_;
  std::size_t observed_ = 0;
};

}  // namespace
}  // namespace internal

void PilotOptions::validate() const {
  if (!(std::isfinite(budget_seconds) && budget_seconds >= 0)) {
    throw Error(ErrorKind::usage,
                fmt::format("budget is {} seconds: it must be finite and at least 0", budget_seconds));
  }
  if (count && *count < 0) throw Error(ErrorKind::usage, fmt::format("pilots is {}: it must be at least 0", *count));
  training.validate();
}

PilotLength pilot_length(const NetworkSpec& network, Index rows, Index features, Index outputs,
                         const TrainOptions& training) {
  using namespace internal;
  PilotLength length{.rows = std::min(rows, most_rows), .epochs = training.epochs};
  const double per_row = 6 * parameter_count(network, features, outputs);
  const double affordable = operations / per_row;  // rows in all
  if (affordable < static_cast<double>(length.rows * fewest_epochs)) {
    length.rows = std::min(length.rows, std::max(fewest_rows, static_cast<Index>(affordable / fewest_epochs)));
  }
  const auto epochs = static_cast<Index>(affordable / static_cast<double>(length.rows));
  length.epochs = std::clamp(epochs, std::min(fewest_epochs, training.epochs), training.epochs);
  return length;
}

PilotStudy run_pilots(const PreparedData& data, const NetworkSpec& network, const std::vector<Candidate>& candidates,
                      const PilotQuestion& question, const RunContext& context) {
  question.options.validate();
  network.validate();
  if (question.current >= candidates.size()) {
    throw Error(ErrorKind::usage,
                fmt::format("current is {}: there are {} candidates", question.current, candidates.size()));
  }
  if (data.train.size() < 2 * internal::blocks_in_all) {
    throw Error(ErrorKind::data,
                fmt::format("{}: {} rows are too few to train on some and measure on others: {} are needed", data.name,
                            data.train.size(), 2 * internal::blocks_in_all));
  }
  const PilotLength length =
      pilot_length(network, data.train.size(), data.features(), data.outputs(), question.options.training);
  if (!question.options.count) {
    const double seconds = 6 * internal::parameter_count(network, data.features(), data.outputs()) *
                           static_cast<double>(length.rows * length.epochs) / internal::operations_per_second;
    if (seconds > internal::patience * question.options.budget_seconds) {
      throw Error(ErrorKind::resource,
                  fmt::format("one short training of this network takes about {:.0f} s, the budget is {:g} s", seconds,
                              question.options.budget_seconds));
    }
  }
  std::optional<PreparedData> drawn;
  if (length.rows < data.train.size()) drawn = draw_rows(data, length.rows, data.seed);
  return internal::PilotRun(drawn ? *drawn : data, network, candidates, question, length, context).run();
}

}  // namespace priorfit
