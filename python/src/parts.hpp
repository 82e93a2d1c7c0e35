// The parts of the module `_core`, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace priorfit::python {

void add_data(nanobind::module_& module);
void add_recommend(nanobind::module_& module);
void add_numerics(nanobind::module_& module);
void add_networks(nanobind::module_& module);
void add_experiments(nanobind::module_& module);

}  // namespace priorfit::python
