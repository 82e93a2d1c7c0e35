// A training run in sentences: every word about it that a person reads, in the table and on the page.
#pragma once

#include <string>
#include <vector>

#include "priorfit/training.hpp"

namespace priorfit::internal {

/// Data, network and training in a line each.
std::string assumptions(const TrainingReport& report);

/// "Adam, learning rate 0.001, batch 128, 250 epochs, weight decay 0; cross-entropy; no validation rows". options:
/// resolved.
std::string how_trained(const TrainOptions& options);

/// What happened on the way, a line each; often nothing.
std::string events(const TrainingReport& report);

struct Sentence {
  std::string kind;  // "headline", "assumption", "event", or the chart that it belongs to
  std::string text;
};

std::vector<Sentence> sentences(const TrainingReport& report);

}  // namespace priorfit::internal
