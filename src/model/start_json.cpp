#include "model/start_json.hpp"

namespace priorfit::internal {

Json start_json(const Initialisation& start) {
  const auto pair = start.pair();
  const auto output = start.own_output();
  if (!pair && !output) return {{"weight_variance", nullptr}, {"bias_variance", nullptr}};
  const LayerPrior& first = start.layers.front();
  Json json = {{"weight_variance", first.weight_variance}, {"bias_variance", first.bias_variance}};
  if (output) json["output_weight_variance"] = *output;
  return json;
}

Json layers_json(const Initialisation& start) {
  Json layers = Json::array();
  for (const LayerPrior& layer : start.layers) {
    layers.push_back({{"weight_variance", layer.weight_variance}, {"bias_variance", layer.bias_variance}});
  }
  return layers;
}

}  // namespace priorfit::internal
