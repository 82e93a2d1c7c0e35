#pragma once

#include <string_view>

namespace priorfit {

std::string_view version();

}  // namespace priorfit
