// Kernels, evidence, predictions of training, phases, Gaussian-process prediction.
#include <nanobind/stl/shared_ptr.h>

#include <mutex>

#include "arrays.hpp"
#include "convert.hpp"
#include "linalg/threads.hpp"
#include "parts.hpp"
#include "priorfit/evidence.hpp"
#include "priorfit/kernel.hpp"
#include "priorfit/predict.hpp"
#include "priorfit/signal.hpp"
#include "priorfit/trained_risk.hpp"
#include "run.hpp"

namespace priorfit::python {
namespace {

template <typename Compute>
NumpyArray<double> matrix_of(int threads, Compute compute) {
  return to_numpy(run({threads}, [=](const RunContext& context) {
    const internal::ThreadScope scope(context.threads);
    return compute();
  }));
}

NumpyArray<double> covariance_of(const Array& inputs, const Widths& widths, const std::string& activation,
                                 const Pairs& layers, int threads) {
  const NetworkSpec network = network_of(widths, activation);
  return matrix_of(threads,
                   [=, priors = priors_of(layers, network)] { return covariance(network, priors, view(inputs)); });
}

NumpyArray<double> tangent_of(const Array& inputs, const Widths& widths, const std::string& activation,
                              const Pairs& layers, int threads) {
  const NetworkSpec network = network_of(widths, activation);
  return matrix_of(threads,
                   [=, priors = priors_of(layers, network)] { return tangent_kernel(network, priors, view(inputs)); });
}

NumpyArray<double> cross_covariance_of(const Array& rows, const Array& columns, const Widths& widths,
                                       const std::string& activation, std::pair<double, double> pair, int threads) {
  const NetworkSpec network = network_of(widths, activation);
  return matrix_of(threads, [=] {
    return cross_covariance(network, {pair.first, pair.second}, view(rows), view(columns));
  });
}

NumpyArray<double> variance_of(const Array& inputs, const Widths& widths, const std::string& activation,
                               const Pairs& layers, int threads) {
  const NetworkSpec network = network_of(widths, activation);
  return matrix_of(threads,
                   [=, priors = priors_of(layers, network)] { return variance(network, priors, view(inputs)); });
}

nb::dict figures_of(const Evidence& evidence) {
  nb::dict result;
  result["status"] = std::string(to_string(evidence.status));
  result["log_marginal_likelihood"] = evidence.log_marginal_likelihood;
  result["per_value"] = evidence.per_value;
  result["leave_one_out"] = evidence.leave_one_out;
  result["noise_variance"] = evidence.noise_variance;
  result["jitter"] = evidence.jitter;
  result["remark"] = evidence.remark();
  return result;
}

/// An engine with the arrays that it views. One call at a time.
template <typename Engine>
struct Held {
  Array inputs, targets;
  NetworkSpec network;
  Engine engine;
  std::mutex mutex;
};

class PythonEvidence {
  template <typename Compute>
  auto with_engine(const Pairs& layers, Compute compute) const {
    const std::vector<LayerPrior> priors = priors_of(layers, held_->network);
    return run({threads_}, [held = held_, priors, compute](const RunContext& context) {
      const std::lock_guard lock(held->mutex);
      const internal::ThreadScope scope(context.threads);
      return compute(held->engine, priors);
    });
  }

 public:
  PythonEvidence(const Array& inputs, const Array& targets, const Widths& widths, const std::string& activation,
                 int threads)
      : threads_(threads) {
    const NetworkSpec network = network_of(widths, activation);
    held_ = run({threads}, [=](const RunContext& context) {
      const internal::ThreadScope scope(context.threads);
      return std::shared_ptr<Held<EvidenceEngine>>(
          new Held<EvidenceEngine>{inputs, targets, network, EvidenceEngine(view(inputs), view(targets), network), {}});
    });
  }

  nb::dict evaluate(const Pairs& layers, double noise_variance, bool leave_one_out) const {
    return figures_of(with_engine(layers, [=](EvidenceEngine& engine, const std::vector<LayerPrior>& priors) {
      return leave_one_out ? engine.evaluate_with_leave_one_out(priors, noise_variance)
                           : engine.evaluate(priors, noise_variance);
    }));
  }

  nb::dict gradient(const Pairs& layers, double noise_variance) const {
    const EvidenceGradient slopes =
        with_engine(layers, [=](EvidenceEngine& engine, const std::vector<LayerPrior>& priors) {
          return engine.evaluate_with_gradient(priors, noise_variance);
        });
    nb::dict result = figures_of(slopes.evidence);
    result["by_weight_variance"] = slopes.by_weight_variance;
    result["by_bias_variance"] = slopes.by_bias_variance;
    result["by_noise_variance"] = slopes.by_noise_variance;
    Pairs by_layer;
    for (const LayerSlopes& layer : slopes.layers) {
      by_layer.emplace_back(layer.by_weight_variance, layer.by_bias_variance);
    }
    result["by_layer"] = by_layer;
    return result;
  }

  std::uintptr_t inputs_address() const { return reinterpret_cast<std::uintptr_t>(view(held_->inputs).data()); }

 private:
  std::shared_ptr<Held<EvidenceEngine>> held_;
  int threads_;
};

class PythonPosterior {
 public:
  PythonPosterior(const Array& inputs, const Array& targets, const Widths& widths, const std::string& activation,
                  const Pairs& layers, double noise_variance, int threads)
      : threads_(threads) {
    const NetworkSpec network = network_of(widths, activation);
    held_ = run({threads}, [=, priors = priors_of(layers, network)](const RunContext& context) {
      const internal::ThreadScope scope(context.threads);
      return std::shared_ptr<Held<Posterior>>(new Held<Posterior>{
          inputs, targets, network, Posterior(view(inputs), view(targets), network, priors, noise_variance), {}});
    });
  }

  nb::tuple predict(const Array& inputs) const {
    Prediction prediction = run({threads_}, [held = held_, inputs](const RunContext& context) {
      const std::lock_guard lock(held->mutex);
      const internal::ThreadScope scope(context.threads);
      return held->engine.predict(view(inputs));
    });
    return nb::make_tuple(to_numpy(std::move(prediction.mean)), to_numpy(std::move(prediction.variance)));
  }

  NumpyArray<double> covariance(const Array& inputs) const {
    return to_numpy(run({threads_}, [held = held_, inputs](const RunContext& context) {
      const std::lock_guard lock(held->mutex);
      const internal::ThreadScope scope(context.threads);
      return held->engine.covariance(view(inputs));
    }));
  }

  double jitter() const { return held_->engine.factorization().jitter; }

 private:
  std::shared_ptr<Held<Posterior>> held_;
  int threads_;
};

nb::dict risk_of(const Array& inputs, const Array& targets, bool classification, const Widths& widths,
                 const std::string& activation, const Pairs& layers, const std::string& optimizer, double ridge,
                 std::optional<double> steps, std::optional<double> learning_rate, int threads) {
  const NetworkSpec network = network_of(widths, activation);
  TrainedRiskOptions options{.optimizer = parse_optimizer(optimizer), .ridge = ridge};
  if (steps) options.time = {*steps, learning_rate.value_or(0.0)};
  options.validate();
  const TrainedRisk risk = run({threads}, [=, priors = priors_of(layers, network)](const RunContext& context) {
    const internal::ThreadScope scope(context.threads);
    const Task task = classification ? Task::classification : Task::regression;
    return TrainedRiskEngine(view(inputs), view(targets), task, network, options).evaluate(priors);
  });
  nb::dict result;
  result["failure"] = risk.failure;
  result["error"] = risk.error;
  result["standard_error"] = risk.standard_error;
  result["data_error"] = risk.data_error;
  result["initialisation_error"] = risk.initialisation_error;
  result["accuracy"] = risk.accuracy;
  result["ridge"] = risk.ridge;
  return result;
}

nb::dict signal_of(const std::string& activation, double weight_variance, double bias_variance) {
  const SignalPropagation signal = signal_propagation(Activation::parse(activation), {weight_variance, bias_variance});
  nb::dict result;
  result["phase"] = std::string(to_string(signal.phase));
  result["fixed_point"] = signal.fixed_point;
  result["chi"] = signal.chi;
  result["depth_scale"] = signal.depth_scale;
  return result;
}

nb::dict phase_of(const std::string& activation, Index depth, const std::vector<double>& weight_variances,
                  const std::vector<double>& bias_variances) {
  const PhaseOptions options{.activation = Activation::parse(activation),
                             .depth = depth,
                             .weight_variances = weight_variances,
                             .bias_variances = bias_variances};
  options.validate();
  const PhaseMap map = run({}, [=](const RunContext&) { return phase_map(options); });
  nb::dict result;
  result["json"] = to_json(map);
  result["table"] = to_table(map);
  return result;
}

}  // namespace

void add_numerics(nb::module_& m) {
  m.def("activations", &Activation::names);
  m.def("covariance", &covariance_of, nb::arg("inputs").noconvert(), nb::arg("widths"), nb::arg("activation"),
        nb::arg("layers"), nb::arg("threads") = 0);
  m.def("cross_covariance", &cross_covariance_of, nb::arg("rows").noconvert(), nb::arg("columns").noconvert(),
        nb::arg("widths"), nb::arg("activation"), nb::arg("pair"), nb::arg("threads") = 0);
  m.def("variance", &variance_of, nb::arg("inputs").noconvert(), nb::arg("widths"), nb::arg("activation"),
        nb::arg("layers"), nb::arg("threads") = 0);
  m.def("tangent_kernel", &tangent_of, nb::arg("inputs").noconvert(), nb::arg("widths"), nb::arg("activation"),
        nb::arg("layers"), nb::arg("threads") = 0);
  m.def("trained_risk", &risk_of, nb::arg("inputs").noconvert(), nb::arg("targets").noconvert(),
        nb::arg("classification"), nb::arg("widths"), nb::arg("activation"), nb::arg("layers"), nb::arg("optimizer"),
        nb::arg("ridge"), nb::arg("steps").none(), nb::arg("learning_rate").none(), nb::arg("threads") = 0);
  m.def("signal", &signal_of, nb::arg("activation"), nb::arg("weight_variance"), nb::arg("bias_variance"));
  m.def("phase", &phase_of, nb::arg("activation"), nb::arg("depth"), nb::arg("weight_variances"),
        nb::arg("bias_variances"));
  m.def(
      "critical_weight_variance",
      [](const std::string& activation, double bias_variance) -> std::optional<double> {
        const auto point = critical_point(Activation::parse(activation), bias_variance);
        return point ? std::optional(point->weight_variance) : std::nullopt;
      },
      nb::arg("activation"), nb::arg("bias_variance"));

  nb::class_<PythonEvidence>(m, "EvidenceEngine", "The marginal likelihood of one sample at any number of priors.")
      .def(nb::init<const Array&, const Array&, const Widths&, const std::string&, int>(),
           nb::arg("inputs").noconvert(), nb::arg("targets").noconvert(), nb::arg("widths"), nb::arg("activation"),
           nb::arg("threads") = 0)
      .def("evaluate", &PythonEvidence::evaluate, nb::arg("layers"), nb::arg("noise_variance"),
           nb::arg("leave_one_out") = false)
      .def("gradient", &PythonEvidence::gradient, nb::arg("layers"), nb::arg("noise_variance"))
      .def_prop_ro("inputs_address", &PythonEvidence::inputs_address, "Where the inputs that it reads begin.");
  nb::class_<PythonPosterior>(m, "Posterior", "The Gaussian process after seeing a sample.")
      .def(nb::init<const Array&, const Array&, const Widths&, const std::string&, const Pairs&, double, int>(),
           nb::arg("inputs").noconvert(), nb::arg("targets").noconvert(), nb::arg("widths"), nb::arg("activation"),
           nb::arg("layers"), nb::arg("noise_variance"), nb::arg("threads") = 0)
      .def("predict", &PythonPosterior::predict, nb::arg("inputs").noconvert(),
           "Mean (rows × outputs) and variance (rows) of the noiseless function.")
      .def("covariance", &PythonPosterior::covariance, nb::arg("inputs").noconvert())
      .def_prop_ro("jitter", &PythonPosterior::jitter);
}

}  // namespace priorfit::python
