// Prepared data as Python holds it.
#pragma once

#include <memory>

#include "priorfit/dataset.hpp"

namespace priorfit::python {

/// Shared with the work that reads it, which may outlive a call that was interrupted.
struct Data {
  std::shared_ptr<const PreparedData> prepared;
};

}  // namespace priorfit::python
