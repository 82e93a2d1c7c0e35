#include "data/summary.hpp"

#include <fmt/format.h>

#include "data/preparation_json.hpp"

namespace priorfit {

std::string data_sentence(const DataSummary& data) {
  const std::string share = data.samples == data.rows
                                ? fmt::format("all {} rows", data.rows)
                                : fmt::format("{} of {} rows (seed {})", data.samples, data.rows, data.seed);
  return fmt::format("{}: {}, {} features, {}, {} output{}, preprocess {}", data.name, share, data.features,
                     to_string(data.task), data.outputs, data.outputs == 1 ? "" : "s", to_string(data.preprocess));
}

Json data_json(const DataSummary& data) {
  return {{"name", data.name},
          {"rows", data.rows},
          {"features", data.features},
          {"outputs", data.outputs},
          {"task", to_string(data.task)},
          {"preprocess", to_string(data.preprocess)},
          {"samples", data.samples},
          {"seed", data.seed},
          {"notes", data.notes},
          {"preparation", preparation_json(data.preparation)}};
}

}  // namespace priorfit
