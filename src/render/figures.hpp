// How numbers and names are written in sentences and tables.
#pragma once

#include <string>
#include <string_view>

#include "priorfit/recommend.hpp"

namespace priorfit::internal {

/// "12,345"
std::string grouped(Index count);
/// "12,345.6", a dash where there is none
std::string nats_text(double value);
/// Four places, or three digits of a large one.
std::string error_text(double error);
/// "96.5 %", or "squared error 0.0123"
std::string prediction_text(const TrainedRisk& risk);

/// "σ_w²", "the output's σ_w²", "layer 2's σ_b²" for a coordinate of a family or the noise
std::string symbol(std::string_view coordinate);

/// "He", "LeCun", "Glorot", "PyTorch": what JSON calls a baseline
std::string baseline_name(const Candidate& baseline);
/// "PyTorch's default", "Glorot, Keras's default"
std::string baseline_label(const Candidate& baseline);

/// What the caller calls an argument of the library.
std::string argument(const Recommendation& recommendation, const std::string& name);

}  // namespace priorfit::internal
