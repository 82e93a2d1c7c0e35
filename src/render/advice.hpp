// The answer of "auto" in words and lines: keep or change, by how much, how surely.
#pragma once

#include "priorfit/recommend.hpp"

namespace priorfit::internal {

/// "Change it: +1.6 ± 0.4 points of accuracy over PyTorch's default (93.1 → 94.7 %)."
std::string verdict_sentence(const Recommendation& r);
/// "hidden layers σ_w² = 1.2, σ_b² = 0.1; output layer σ_w² = 0.01, no bias"
std::string layers_line(const Initialisation& start);
/// What the answer rests on: how many networks, on what, which interval; and what it assumes.
std::vector<Sentence> advice_sentences(const Recommendation& r);

/// Two lines of a Python comment: data, network, training and preparation that lines to paste hold for.
std::string paste_comment(const Recommendation& r);

/// What "auto" knows of the evidence, as if that had been asked for.
Recommendation about_the_evidence(const Recommendation& answer);

/// A line of the table of starts.
struct StartLine {
  std::string name;
  std::size_t place = 0;  // of advice.starts
  std::string predicted = {}, measured = {}, against = {};
  std::optional<MeasuredStart> prediction = {}, measurement = {};  // the figures behind the words
};
std::vector<StartLine> start_lines(const Recommendation& r);

/// The short answer: at most 20 lines, then what to paste.
std::string advice_table(const Recommendation& r);
std::string advice_markdown(const Recommendation& r);

}  // namespace priorfit::internal
