// What stands below the charts of a recommendation's page, and which starts they show.
#pragma once

#include "priorfit/recommend.hpp"

namespace priorfit::internal {

/// All that were judged, in the order in which JSON lists them: with "auto" its starts, else the recommended one first.
std::vector<Candidate> listed_candidates(const Recommendation& r);

/// Places in listed_candidates() of those that the prediction, and pilots where there were any, do not tell from the
/// best.
std::vector<std::size_t> as_good_starts(const Recommendation& r);

/// Kinds "starts", "predicted" and "evidence", each where its chart has something to show.
std::vector<Sentence> captions(const Recommendation& r);

}  // namespace priorfit::internal
