// The mutator of targets whose formats say little about themselves.
#include "mutate.hpp"

PRIORFIT_MUTATE(mutate_blindly)
