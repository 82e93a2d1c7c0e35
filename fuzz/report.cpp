// Result files up to the script of the page. The first byte chooses which file the others are.
#include <array>

#include "harness.hpp"
#include "report/results.hpp"

PRIORFIT_FUZZ(bytes) {
  constexpr std::array names = {"recommendation.json", "experiment.json", "prediction.json",
                                "simulation.json",     "phase.json",      "training.json"};
  constexpr std::size_t page_room = 2000;  // little, so that curves are thinned
  if (bytes.empty()) return;
  const priorfit::fuzz::MemoryFile file(bytes.substr(1));
  const priorfit::fuzz::Folder folder;
  folder.add(names[static_cast<unsigned char>(bytes[0]) % names.size()], file);
  priorfit::embedded_results(priorfit::read_results(folder.path()), page_room);
}
