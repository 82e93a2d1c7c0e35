// Result files up to the script of the page. The first byte chooses which file the others are.
#include <array>

#include "harness.hpp"
#include "mutate.hpp"
#include "report/results.hpp"

PRIORFIT_MUTATE(mutate_report)

PRIORFIT_FUZZ(bytes) {
  constexpr std::array names = {"recommendation.json", "experiment.json", "prediction.json", "simulation.json",
                                "phase.json",          "training.json",   "unfinished.json", "other.json"};
  constexpr std::size_t page_room = 2000;  // little, so that curves are thinned
  if (bytes.empty()) return;
  static const std::array<priorfit::fuzz::Folder, names.size()> folders;  // the reader takes all that it finds in one
  const std::size_t chosen = static_cast<unsigned char>(bytes[0]) % (names.size() + 1);
  if (chosen == names.size()) {
    priorfit::internal::read_results(folders[0].path() / "none");
    return;
  }
  folders[chosen].set(names[chosen], bytes.substr(1));
  priorfit::internal::embedded_results(priorfit::internal::read_results(folders[chosen].path()), page_room);
}
