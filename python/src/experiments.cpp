// Sweeps kept in a folder, as `priorfit experiment` runs them.
#include "convert.hpp"
#include "parts.hpp"
#include "priorfit/experiment.hpp"
#include "run.hpp"

namespace priorfit::python {
namespace {

nb::dict texts_of(const Experiment& experiment) {
  nb::dict result;
  result["json"] = to_json(experiment);
  result["table"] = to_table(experiment);
  return result;
}

nb::dict run_in_folder(const std::string& specification, const std::string& folder,
                       const std::vector<std::string>& also, int threads, const nb::object& progress) {
  const ExperimentSpecification wanted = parse_specification(specification, "specification");
  return texts_of(run({threads, progress}, [=](const RunContext& context) {
    return run_experiment(wanted, {.folder = folder, .also = also}, context);
  }));
}

}  // namespace

void add_experiments(nb::module_& m) {
  m.def("run_experiment", &run_in_folder, nb::arg("specification"), nb::arg("folder"), nb::arg("also"),
        nb::arg("threads") = 0, nb::arg("progress") = nb::none());
  m.def(
      "read_experiment",
      [](const std::string& folder) {
        return texts_of(run({}, [=](const RunContext&) { return read_experiment(folder); }));
      },
      nb::arg("folder"));
  m.def(
      "experiment_preset", [](const std::string& name) { return to_toml(experiment_preset(name)); }, nb::arg("name"));
}

}  // namespace priorfit::python
