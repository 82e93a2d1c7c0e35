// Prediction whose variances and noise need not be known: what is not given is what explains the training rows best.
//
//     NetworkSpec network = NetworkSpec::uniform(1);
//     PredictionResult result = predict_by_evidence(data, network);            // the evidence's maximum, noise fitted
//     predict_by_evidence(data, network, {.start = Initialisation::tied(network, {2.0, 0.0})});   // the noise alone
#pragma once

#include <memory>
#include <optional>

#include "priorfit/predict.hpp"

namespace priorfit {

struct PredictByEvidenceOptions {
  std::optional<Initialisation> start = {};   // empty: the pair with the most evidence
  std::optional<double> noise_variance = {};  // finite, >= 0; empty: the one with the most evidence
  EvidenceOptions evidence = {};
  // Null: this process predicts. Otherwise several do it together (docs/scale.md).
  std::shared_ptr<internal::PredictionElsewhere> elsewhere = {};
};

/// predict() with what is given; PredictionSummary says what was fitted. A noise is fitted on all training rows; a pair
/// as recommend() finds it, on a sample that grows where there are many. Throws as predict() and recommend() do.
PredictionResult predict_by_evidence(const PreparedData& data, const NetworkSpec& network,
                                     const PredictByEvidenceOptions& options = {}, const RunContext& context = {});

}  // namespace priorfit
