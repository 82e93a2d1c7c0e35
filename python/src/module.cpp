// The module priorfit._core: the library's calls, one to one. What is kind to users of Python is in python/priorfit.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "parts.hpp"
#include "priorfit/error.hpp"
#include "priorfit/version.hpp"
#include "run.hpp"

namespace nb = nanobind;

namespace {

const char* class_of(priorfit::ErrorKind kind) {
  using priorfit::ErrorKind;
  switch (kind) {
    case ErrorKind::usage: return "UsageError";
    case ErrorKind::data: return "DataError";
    case ErrorKind::numerical: return "NumericalError";
    case ErrorKind::io: return "InputOutputError";
    case ErrorKind::resource: return "ResourceError";
    case ErrorKind::interrupted: return "Interrupted";
    case ErrorKind::internal: return "InternalError";
  }
  return "PriorfitError";
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const priorfit::Error& error) {
    const nb::object type = nb::module_::import_("priorfit.errors").attr(class_of(error.kind()));
    PyErr_SetString(type.ptr(), error.what());
  }
}

}  // namespace

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // objects that live until the interpreter ends are no fault
  nb::register_exception_translator(translate);
  m.def("version", [] { return std::string(priorfit::version()); });
  m.def("_wait_briefly", &priorfit::python::wait_briefly,
        "Lets idle threads sleep soon, beside a libgomp that was there.");
  m.def("_wait_for_abandoned", &priorfit::python::wait_for_abandoned,
        "Waits for work that Ctrl-C left behind; called when the interpreter ends.");
  priorfit::python::add_data(m);
  priorfit::python::add_recommend(m);
  priorfit::python::add_numerics(m);
  priorfit::python::add_networks(m);
  priorfit::python::add_experiments(m);
}
