// Data sets: from a source as the command line names it, from the text of a table, from arrays.
#include "data.hpp"

#include "arrays.hpp"
#include "convert.hpp"
#include "parts.hpp"
#include "run.hpp"

namespace priorfit::python {
namespace {

using Strings = std::vector<std::string>;

struct DataOptions {
  LoadOptions load;
  PrepareOptions prepare;
};

std::optional<char> character(nb::handle value) {
  const auto text = nb::cast<std::string>(value);
  return text.empty() ? std::nullopt : std::optional(text == "tab" ? '\t' : text[0]);
}

const Keyword<DataOptions> keywords[] = {
    {"source", [](DataOptions& o, nb::handle v) { o.load.source = nb::cast<std::string>(v); }},
    {"targets", [](DataOptions& o, nb::handle v) { o.load.targets = nb::cast<std::string>(v); }},
    {"target", [](DataOptions& o, nb::handle v) { o.load.target_column = nb::cast<std::string>(nb::str(v)); }},
    {"task", [](DataOptions& o, nb::handle v) { o.load.task = parse_task(nb::cast<std::string>(v)); }},
    {"data_folder", [](DataOptions& o, nb::handle v) { o.load.data_folder = nb::cast<std::string>(v); }},
    {"arrays", [](DataOptions& o, nb::handle v) { o.load.arrays = nb::cast<Strings>(v); }},
    {"ignore", [](DataOptions& o, nb::handle v) { o.load.table.ignore = nb::cast<Strings>(v); }},
    {"only", [](DataOptions& o, nb::handle v) { o.load.table.only = nb::cast<Strings>(v); }},
    {"categorical", [](DataOptions& o, nb::handle v) { o.load.table.categorical = nb::cast<Strings>(v); }},
    {"numeric", [](DataOptions& o, nb::handle v) { o.load.table.numeric = nb::cast<Strings>(v); }},
    {"missing", [](DataOptions& o, nb::handle v) { o.load.table.missing = parse_missing(nb::cast<std::string>(v)); }},
    {"decimal", [](DataOptions& o, nb::handle v) { o.load.table.decimal = character(v); }},
    {"separator", [](DataOptions& o, nb::handle v) { o.load.table.separator = character(v); }},
    {"header", [](DataOptions& o, nb::handle v) { o.load.table.header = nb::cast<bool>(v); }},
    {"no_header", [](DataOptions& o, nb::handle v) { o.load.table.no_header = nb::cast<bool>(v); }},
    {"samples", [](DataOptions& o, nb::handle v) { o.prepare.samples = nb::cast<Index>(v); }},
    {"seed", [](DataOptions& o, nb::handle v) { o.prepare.seed = nb::cast<std::uint64_t>(v); }},
    {"preprocess",
     [](DataOptions& o, nb::handle v) { o.prepare.preprocess = parse_preprocess(nb::cast<std::string>(v)); }},
    {"test_fraction", [](DataOptions& o, nb::handle v) { o.prepare.test_fraction = nb::cast<double>(v); }},
    {"raw_targets", [](DataOptions& o, nb::handle v) { o.prepare.raw_targets = nb::cast<bool>(v); }},
};

DataOptions options_of(const nb::dict& values) {
  DataOptions options;
  apply_keywords(options, values, keywords);
  return options;
}

template <typename Load>
Data prepared(const DataOptions& options, Load load) {
  return run({}, [options, load = std::move(load)](const RunContext&) mutable {
    return Data{std::make_shared<PreparedData>(prepare(load(options.load), options.prepare))};
  });
}

Data from_source(const nb::dict& values) {
  return prepared(options_of(values), [](const LoadOptions& load) { return load_dataset(load); });
}

Data from_table(const nb::bytes& text, const nb::dict& values) {
  return prepared(options_of(values), [text](const LoadOptions& load) {
    return load_table_text({text.c_str(), text.size()}, load);
  });
}

Data from_arrays(const Array& inputs, const Array& targets, const Strings& names, bool bytes, bool more_dimensions,
                 bool whole_numbers, const std::string& name, const std::string& target_name, const nb::dict& values) {
  return prepared(options_of(values), [=](const LoadOptions& load) {
    // The one copy: preparing scales the rows in place.
    return make_dataset({.name = name,
                         .target_name = target_name,
                         .inputs = view(inputs),
                         .bytes = bytes,
                         .more_dimensions = more_dimensions,
                         .targets = view(targets),
                         .whole_numbers = whole_numbers,
                         .names = names},
                        load.task);
  });
}

std::optional<NumpyArray<const int>> labels_of(const Samples& samples, nb::handle owner) {
  if (samples.labels.empty()) return std::nullopt;
  return look_at(samples.labels.data(), {samples.labels.size()}, owner);
}

}  // namespace

void add_data(nb::module_& m) {
  nb::class_<Data>(m, "Data", "Rows that were read, drawn and preprocessed: what a computation sees.")
      .def_prop_ro(
          "name", [](const Data& d) { return d.prepared->name; }, "Of the file, the data set or the arrays.")
      .def_prop_ro(
          "task", [](const Data& d) { return std::string(to_string(d.prepared->task)); },
          "\"classification\" or \"regression\".")
      .def_prop_ro(
          "rows", [](const Data& d) { return d.prepared->rows; }, "Training rows before any were drawn.")
      .def_prop_ro(
          "features", [](const Data& d) { return d.prepared->features(); }, "Columns of inputs.")
      .def_prop_ro(
          "outputs", [](const Data& d) { return d.prepared->outputs(); }, "Columns of targets: one per class.")
      .def_prop_ro(
          "preprocess", [](const Data& d) { return std::string(to_string(d.prepared->preprocess)); },
          "\"unit\", \"standardize\", \"center\" or \"none\".")
      .def_prop_ro(
          "output_names", [](const Data& d) { return d.prepared->output_names; },
          "Class names in the order of labels, or target columns.")
      .def_prop_ro(
          "notes", [](const Data& d) { return d.prepared->notes; },
          "Decisions made while reading that shape the answer.")
      .def_prop_ro(
          "preparation", [](const Data& d) { return to_json(d.prepared->preparation); },
          "How a row of the source became a row of inputs: JSON of schema priorfit.preparation/1.")
      .def_prop_ro(
          "inputs", [](nb::handle d) { return look_at(nb::cast<const Data&>(d).prepared->train.inputs, d); },
          "Training inputs, rows × features.")
      .def_prop_ro(
          "targets", [](nb::handle d) { return look_at(nb::cast<const Data&>(d).prepared->train.targets, d); },
          "Training targets, rows × outputs; classes encoded as 1 − 1/C and −1/C.")
      .def_prop_ro(
          "labels", [](nb::handle d) { return labels_of(nb::cast<const Data&>(d).prepared->train, d); },
          "Training labels; None for regression.")
      .def_prop_ro(
          "test_inputs", [](nb::handle d) { return look_at(nb::cast<const Data&>(d).prepared->test.inputs, d); },
          "Inputs of the rows that were kept apart (test_fraction), prepared as the others.")
      .def_prop_ro(
          "test_targets", [](nb::handle d) { return look_at(nb::cast<const Data&>(d).prepared->test.targets, d); },
          "Their targets.")
      .def_prop_ro(
          "test_labels", [](nb::handle d) { return labels_of(nb::cast<const Data&>(d).prepared->test, d); },
          "Their labels; None for regression.")
      .def_prop_ro(
          "target_shift", [](const Data& d) { return to_numpy(Vector(d.prepared->target_shift)); },
          nb::rv_policy::automatic, "One per output: original target = shift + scale · target.")
      .def_prop_ro(
          "target_scale", [](const Data& d) { return to_numpy(Vector(d.prepared->target_scale)); },
          nb::rv_policy::automatic, "One per output; see target_shift.")
      .def("__repr__", [](const Data& d) {
        return "<" + d.prepared->name + ": " + std::to_string(d.prepared->train.size()) + " of " +
               std::to_string(d.prepared->rows) + " rows, " + std::to_string(d.prepared->features()) + " features, " +
               std::string(to_string(d.prepared->task)) + ", " + std::to_string(d.prepared->outputs()) + " outputs>";
      });
  m.def("data_keywords", [] { return names_of(keywords); });
  m.def("data_from_source", &from_source, nb::arg("options"));
  m.def("data_from_table", &from_table, nb::arg("text"), nb::arg("options"));
  m.def("data_from_arrays", &from_arrays, nb::arg("inputs").noconvert(), nb::arg("targets").noconvert(),
        nb::arg("names"), nb::arg("bytes"), nb::arg("more_dimensions"), nb::arg("whole_numbers"), nb::arg("name"),
        nb::arg("target_name"), nb::arg("options"));
  m.def(
      "draw_rows",
      [](const Data& data, Index samples, std::uint64_t seed) {
        return run({}, [from = data.prepared, samples, seed](const RunContext&) {
          return Data{std::make_shared<PreparedData>(draw_rows(*from, samples, seed))};
        });
      },
      nb::arg("data"), nb::arg("samples"), nb::arg("seed"));
}

}  // namespace priorfit::python
