// How results name their data, in words and in JSON.
#pragma once

#include "priorfit/dataset.hpp"
#include "support/json.hpp"

namespace priorfit::internal {

/// "mnist: 1000 of 60000 rows (seed 1), 784 features, classification, 10 outputs, preprocess unit"
std::string data_sentence(const DataSummary& data);

Json data_json(const DataSummary& data);
/// What data_json() wrote, also before there were columns and preparations. `source` names it in messages.
DataSummary data_from(const Json& json, const std::string& source);

Json columns_json(const std::vector<ColumnLine>& columns);

}  // namespace priorfit::internal
