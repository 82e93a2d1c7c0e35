// What the table and the markdown say in words, from a finished recommendation: nothing is computed here.
#pragma once

#include <string>

#include "priorfit/recommend.hpp"

namespace priorfit {

/// 1234567.89 -> "1,234,567.9"; "—" for what is not finite
std::string nats_text(double value);
/// 0.0123, and 1.2e+05 for what is large
std::string error_text(double error);

std::string assumption_lines(const Recommendation& r);  // data, network, noise
std::string answer_lines(const Recommendation& r);      // the pair, its intervals, its evidence
std::string bound_lines(const Recommendation& r);       // bounds reached, flat directions
std::string signal_lines(const Recommendation& r);      // how deep a signal would travel: the recommended pair and He
std::string baseline_lines(const Recommendation& r);    // He, LeCun, Glorot
std::string trained_lines(const Recommendation& r);  // what training is predicted to do, and whether the criteria agree
std::string search_lines(const Recommendation& r);   // other maxima, what it cost
std::string growth_lines(const Recommendation& r);   // the path of sample sizes

}  // namespace priorfit
