// Result files up to the script of the page. The first byte chooses which file the others are.
#include <array>
#include <optional>

#include "harness.hpp"
#include "report/results.hpp"

PRIORFIT_FUZZ(bytes) {
  constexpr std::array names = {"recommendation.json", "experiment.json", "prediction.json",
                                "simulation.json",     "phase.json",      "training.json"};
  constexpr std::size_t page_room = 2000;  // little, so that curves are thinned
  if (bytes.empty()) return;
  // A folder for each, since the reader takes all that it finds.
  static std::array<std::optional<priorfit::fuzz::Folder>, names.size()> folders;
  const std::size_t chosen = static_cast<unsigned char>(bytes[0]) % names.size();
  if (!folders[chosen]) folders[chosen].emplace(std::initializer_list<const char*>{names[chosen]});
  folders[chosen]->set(names[chosen], bytes.substr(1));
  priorfit::internal::embedded_results(priorfit::internal::read_results(folders[chosen]->path()), page_room);
}
