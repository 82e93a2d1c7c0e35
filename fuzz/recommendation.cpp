// recommendation.json, up to the network that is made from it.
#include "harness.hpp"
#include "mutate.hpp"
#include "priorfit/recommendation_file.hpp"

PRIORFIT_MUTATE(mutate_json)

PRIORFIT_FUZZ(bytes) {
  static const priorfit::fuzz::MemoryFile file;
  file.set(bytes);
  priorfit::read_recommendation(file.path()).network(2000).validate();
}
