// What a criterion has said: a score, and the candidate that holds it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "priorfit/criterion.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
namespace {

/// Throws for a score that is missing or of another kind.
template <typename Detail>
const Detail& require(const Detail* detail, const Candidate& candidate, std::string_view criterion) {
  if (detail) return *detail;
  throw Error(ErrorKind::usage, fmt::format("{} was not judged by {}", to_string(candidate.start), criterion));
}

}  // namespace

Score Score::of(double value) {
  if (!std::isfinite(value)) throw Error(ErrorKind::internal, fmt::format("a score of {} is no figure", value));
  Score score;
  score.value_ = value;
  return score;
}

Score Score::failed(std::string why) {
  Score score;
  score.failure_ = why.empty() ? "failed" : std::move(why);
  return score;
}

Score::Score(const Evidence& evidence)
    : value_(evidence.log_marginal_likelihood),
      failure_(evidence.ok() ? std::string() : evidence.remark()),
      detail_(evidence) {}

Score::Score(const TrainedRisk& risk) : value_(risk.ok() ? risk.loss() : 0.0), failure_(risk.failure), detail_(risk) {}

double Score::value() const {
  if (!ok()) throw Error(ErrorKind::internal, "a failed score has no value: " + failure_);
  return value_;
}

const Score* Candidate::find(std::string_view criterion) const {
  const auto found = std::find_if(scores.begin(), scores.end(), [&](const auto& s) { return s.first == criterion; });
  return found == scores.end() ? nullptr : &found->second;
}

void Candidate::set(std::string_view criterion, Score score) {
  for (auto& [name, value] : scores) {
    if (name == criterion) {
      value = std::move(score);
      return;
    }
  }
  scores.emplace_back(criterion, std::move(score));
}

LayerPrior Candidate::pair() const {
  if (const auto pair = start.pair()) return *pair;
  throw Error(ErrorKind::usage, fmt::format("the layers of {} differ: there is no one pair", to_string(start)));
}

const Evidence& Candidate::evidence() const {
  const Score* score = find("evidence");
  return require(score ? score->evidence() : nullptr, *this, "evidence");
}

const TrainedRisk& Candidate::risk() const {
  const Score* score = find("trained-risk");
  return require(score ? score->risk() : nullptr, *this, "trained-risk");
}

}  // namespace priorfit
