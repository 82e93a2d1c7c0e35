// How results name their data, in words and in JSON.
#pragma once

#include "priorfit/dataset.hpp"
#include "support/json.hpp"

namespace priorfit {

/// "mnist: 1000 of 60000 rows (seed 1), 784 features, classification, 10 outputs, preprocess unit"
std::string data_sentence(const DataSummary& data);

Json data_json(const DataSummary& data);

}  // namespace priorfit
