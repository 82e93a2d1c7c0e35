// Mean-field quantities as the result files hold them.
#pragma once

#include "priorfit/signal.hpp"
#include "support/json.hpp"

namespace priorfit::internal {

/// null stands for infinity.
inline Json signal_json(const SignalPropagation& signal) {
  return {{"fixed_point", finite_or_null(signal.fixed_point)},
          {"chi", finite_or_null(signal.chi)},
          {"depth_scale", finite_or_null(signal.depth_scale)},
          {"phase", to_string(signal.phase)}};
}

}  // namespace priorfit::internal
