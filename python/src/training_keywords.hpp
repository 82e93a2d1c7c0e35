// The keywords of training, one line each.
#pragma once

#include "convert.hpp"
#include "priorfit/training.hpp"

namespace priorfit::python {

TrainOptions train_options(const nb::dict& values);
std::vector<std::string> train_keywords();

}  // namespace priorfit::python
