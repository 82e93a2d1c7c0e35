#include <fmt/format.h>

#include <cmath>

#include "arrays/npy.hpp"
#include "priorfit/predict.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

struct OriginalUnits {
  Matrix mean, deviation;  // rows × outputs
};

OriginalUnits original_units(const Prediction& prediction, const PreparedData& data) {
  OriginalUnits result{prediction.mean, Matrix(prediction.mean.rows(), prediction.mean.cols())};
  for (Index c = 0; c < result.mean.cols(); ++c) {
    result.mean.col(c) = data.target_shift[c] + data.target_scale[c] * prediction.mean.col(c).array();
    result.deviation.col(c) = data.target_scale[c] * (prediction.variance.array() + prediction.noise_variance).sqrt();
  }
  return result;
}

std::string output_name(const PreparedData& data, Index output) {
  const auto place = static_cast<std::size_t>(output);
  return place < data.output_names.size() ? data.output_names[place] : fmt::format("{}", output);
}

std::string header(const PreparedData& data) {
  const bool classes = data.task == Task::classification;
  std::string line = classes ? "row,true,predicted" : "row";
  for (Index c = 0; c < data.outputs(); ++c) {
    const std::string name = output_name(data, c);
    if (!classes) line += "," + csv_field("true_" + name);
    line += "," + csv_field("mean_" + name) + "," + csv_field("deviation_" + name);
  }
  return line + "\n";
}

}  // namespace

std::string predictions_csv(const Prediction& prediction, const PreparedData& data) {
  const OriginalUnits units = original_units(prediction, data);
  const bool classes = data.task == Task::classification;
  std::string out = header(data);
  for (Index i = 0; i < units.mean.rows(); ++i) {
    out += fmt::format("{}", i);
    if (classes) {
      Index largest = 0;
      prediction.mean.row(i).maxCoeff(&largest);
      out += "," + csv_field(output_name(data, data.test.labels[static_cast<std::size_t>(i)])) + "," +
             csv_field(output_name(data, largest));
    }
    for (Index c = 0; c < units.mean.cols(); ++c) {
      if (!classes) {
        out += fmt::format(",{}", data.target_shift[c] + data.target_scale[c] * data.test.targets(i, c));
      }
      out += fmt::format(",{},{}", units.mean(i, c), units.deviation(i, c));
    }
    out += "\n";
  }
  return out;
}

std::string predictions_npy(const Prediction& prediction, const PreparedData& data) {
  const OriginalUnits units = original_units(prediction, data);
  Matrix both(2 * units.mean.rows(), units.mean.cols());
  both << units.mean, units.deviation;
  return npy_bytes(both, {2, units.mean.rows(), units.mean.cols()});
}

}  // namespace priorfit
