// Finite networks: draw, train, apply, keep.
#include <nanobind/stl/map.h>

#include "arrays.hpp"
#include "convert.hpp"
#include "data.hpp"
#include "parts.hpp"
#include "priorfit/error.hpp"
#include "priorfit/training.hpp"
#include "priorfit/weights.hpp"
#include "run.hpp"
#include "training_keywords.hpp"

namespace priorfit::python {
namespace {

using FloatArray = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

/// Shared with the work that reads it; never changed, training gives another one.
struct Network {
  std::shared_ptr<const Mlp> mlp;
};

Network network_from(Mlp mlp) { return {std::make_shared<const Mlp>(std::move(mlp))}; }

Network drawn(const Widths& widths, const std::string& activation, Index features, Index outputs, const Pairs& layers,
              const std::string& distribution, std::uint64_t seed) {
  const NetworkSpec spec = network_of(widths, activation);
  const Initialisation start = start_of(layers, distribution, spec);
  return network_from(run({}, [=](const RunContext&) { return initialise(spec, features, outputs, start, seed); }));
}

/// parameters: weights (outputs × inputs) and bias of every layer in turn
Network from_parameters(const std::vector<FloatArray>& parameters, const std::string& activation) {
  if (parameters.size() < 2 || parameters.size() % 2 != 0) {
    throw Error(ErrorKind::usage, "parameters: give weights and bias of every layer in turn");
  }
  Mlp mlp;
  mlp.spec.activation = Activation::parse(activation);
  mlp.spec.hidden_widths.clear();
  for (std::size_t i = 0; i < parameters.size(); i += 2) {
    const FloatArray &weights = parameters[i], &bias = parameters[i + 1];
    if (weights.ndim() != 2 || bias.ndim() != 1) {
      throw Error(ErrorKind::usage, "parameters: weights have two dimensions, a bias has one");
    }
    const auto outputs = static_cast<Index>(weights.shape(0)), inputs = static_cast<Index>(weights.shape(1));
    mlp.layers.push_back({Eigen::Map<const FloatMatrix>(weights.data(), outputs, inputs),
                          Eigen::Map<const Eigen::VectorXf>(bias.data(), static_cast<Index>(bias.shape(0)))});
    if (i + 2 < parameters.size()) mlp.spec.hidden_widths.push_back(outputs);
  }
  mlp.validate();
  return network_from(std::move(mlp));
}

nb::list parameters_of(nb::handle self) {
  nb::list result;
  for (const DenseLayer& layer : nb::cast<const Network&>(self).mlp->layers) {
    const auto outputs = static_cast<std::size_t>(layer.outputs()), inputs = static_cast<std::size_t>(layer.inputs());
    result.append(look_at(layer.weights.data(), {outputs, inputs}, self));
    result.append(look_at(layer.bias.data(), {outputs}, self));
  }
  return result;
}

NumpyArray<double> outputs_of(const Network& network, const Array& inputs, int threads) {
  return to_numpy(run({threads}, [mlp = network.mlp, inputs](const RunContext& context) {
    return forward(*mlp, view(inputs), context.threads);
  }));
}

nb::tuple trained(const Network& network, const Data& data, const nb::dict& options, int threads,
                  const nb::object& progress) {
  const TrainOptions wanted = train_options(options);
  struct Result {
    Mlp mlp;
    std::string json, table;
  };
  Result result =
      run({threads, progress}, [mlp = network.mlp, from = data.prepared, wanted](const RunContext& context) {
        Result made{*mlp, {}, {}};
        TrainingSummary summary = train(made.mlp, *from, wanted, context);
        const TrainingReport report = report_training(made.mlp, *from, wanted, std::move(summary), context.threads);
        made.json = to_json(report);
        made.table = to_table(report);
        return made;
      });
  return nb::make_tuple(network_from(std::move(result.mlp)), result.json, result.table);
}

nb::tuple loaded(const std::string& path, const std::optional<std::string>& activation) {
  std::optional<Activation> named;
  if (activation) named = Activation::parse(*activation);
  LoadedWeights weights = run({}, [=](const RunContext&) { return load_weights(path, named); });
  return nb::make_tuple(network_from(std::move(weights.network)), std::string(to_string(weights.layout)),
                        weights.metadata);
}

void saved(const Network& network, const std::string& path, const std::string& layout,
           const std::map<std::string, std::string>& metadata) {
  const WeightFileOptions options{.layout = parse_weight_layout(layout), .metadata = metadata};
  run({}, [mlp = network.mlp, path, options](const RunContext&) { save_weights(path, *mlp, options); });
}

}  // namespace

void add_networks(nb::module_& m) {
  nb::class_<Network>(m, "Network", "A fully connected network; it does not change, training gives another one.")
      .def_static("draw", &drawn, nb::arg("widths"), nb::arg("activation"), nb::arg("features"), nb::arg("outputs"),
                  nb::arg("layers"), nb::arg("distribution") = "normal", nb::arg("seed") = 1,
                  "Initial parameters; the same seed draws the same bytes as `priorfit init`.")
      .def_static("from_parameters", &from_parameters, nb::arg("parameters"), nb::arg("activation"),
                  "Of float32 weights (outputs × inputs) and bias of every layer in turn.")
      .def_static("load", &loaded, nb::arg("path"), nb::arg("activation").none() = nb::none(),
                  "(network, layout, metadata) of a .safetensors or .npz file.")
      .def("save", &saved, nb::arg("path"), nb::arg("layout") = "torch",
           nb::arg("metadata") = std::map<std::string, std::string>(),
           "Writes .safetensors or .npz; see priorfit.save_weights.")
      .def("train", &trained, nb::arg("data"), nb::arg("options"), nb::arg("threads") = 0,
           nb::arg("progress") = nb::none(),
           "(trained network, JSON of how it went, the same as a table); priorfit.train is kinder.")
      .def("__call__", &outputs_of, nb::arg("inputs").noconvert(), nb::arg("threads") = 0, "rows × outputs")
      .def_prop_ro("parameters", &parameters_of, "Weights (outputs × inputs) and bias of every layer in turn.")
      .def_prop_ro(
          "activation", [](const Network& n) { return n.mlp->spec.activation.name(); }, "Of the hidden layers.")
      .def_prop_ro(
          "widths", [](const Network& n) { return n.mlp->spec.hidden_widths; }, "Units of every hidden layer.")
      .def_prop_ro(
          "features", [](const Network& n) { return n.mlp->features(); }, "Columns of what it takes.")
      .def_prop_ro(
          "outputs", [](const Network& n) { return n.mlp->outputs(); }, "Columns of what it gives.");
  m.def("train_keywords", &train_keywords);
}

}  // namespace priorfit::python
