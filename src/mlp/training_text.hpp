// A training run in sentences: every word about it that a person reads, in the table and on the page.
#pragma once

#include <string>
#include <vector>

#include "priorfit/training.hpp"

namespace priorfit::mlp {

/// Data, network and training in a line each.
std::string assumptions(const TrainingReport& report);

/// What happened on the way, a line each; often nothing.
std::string events(const TrainingReport& report);

struct Sentence {
  std::string kind;  // "headline", "assumption", "event", or the chart that it belongs to
  std::string text;
};

std::vector<Sentence> sentences(const TrainingReport& report);

}  // namespace priorfit::mlp
