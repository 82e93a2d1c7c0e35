#include "priorfit/version.hpp"

namespace priorfit {

std::string_view version() { return PRIORFIT_VERSION; }

}  // namespace priorfit
