#include "priorfit/criterion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "criteria/library_criteria.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

std::vector<CriterionInfo>& registry() {
  static std::vector<CriterionInfo> criteria = {internal::evidence_criterion(), internal::trained_risk_criterion()};
  return criteria;
}

}  // namespace

std::size_t Criterion::prefer(const std::vector<Candidate>& candidates) const {
  const bool larger = find_criterion(name()).larger_is_better;
  const Candidate* best = nullptr;
  const auto value = [&](const Candidate& c) { return larger ? c.find(name())->value() : -c.find(name())->value(); };
  for (const Candidate& candidate : candidates) {
    const Score* score = candidate.find(name());
    if (!score || !score->ok()) continue;
    if (!best || value(candidate) > value(*best)) best = &candidate;
  }
  if (best) return static_cast<std::size_t>(best - candidates.data());
  const Score* first = candidates.empty() ? nullptr : candidates.front().find(name());
  throw Error(ErrorKind::numerical, fmt::format("no candidate could be judged by {}; the first: {}", name(),
                                                first ? first->failure() : "there is none"));
}

void register_criterion(CriterionInfo info) {
  if (info.name.empty()) throw Error(ErrorKind::usage, "name is empty: a criterion needs one");
  if (!info.make) throw Error(ErrorKind::usage, fmt::format("make is empty: criterion '{}' cannot be made", info.name));
  for (CriterionInfo& known : registry()) {
    if (known.name == info.name) {
      known = std::move(info);
      return;
    }
  }
  registry().push_back(std::move(info));
}

const std::vector<CriterionInfo>& known_criteria() { return registry(); }

const CriterionInfo& find_criterion(std::string_view name) {
  std::vector<std::string> names;
  for (const CriterionInfo& info : registry()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw Error(ErrorKind::usage,
              fmt::format("criterion '{}' is unknown{} (known: {})", name, suggestion(name, names), join(names)));
}

}  // namespace priorfit
