// Where other processes get their cells and bring what came out: the end of ExperimentElsewhere that has the database,
// and the words that the other end says to it.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "experiment/cell_work.hpp"
#include "experiment/elsewhere.hpp"
#include "experiment/heartbeat.hpp"
#include "experiment/judging_memory.hpp"

namespace priorfit::internal {

/// Not for use by two threads at once.
class Desk {
 public:
  /// memory: outlives this. patience: Store::set_patience. checksum: of the data, as ExperimentSamples gives it
  Desk(std::filesystem::path database, Kinds kinds, const JudgingMemory& memory, std::chrono::milliseconds patience,
       std::string checksum, bool classification);

  /// Never throws: what goes wrong is told to the one who asked, whose run ends with it.
  ExperimentElsewhere::Reply answer(int who, const std::string& question) noexcept;

 private:
  /// One of the others, as the database knows it.
  struct Helper {
    Owner owner;
    std::unique_ptr<Store> store;
    std::unique_ptr<Heartbeat> heartbeat;  // of the cell that it has
  };

  ExperimentElsewhere::Reply reply_to(int who, const std::string& question);

  std::filesystem::path database_;
  Kinds kinds_;
  const JudgingMemory& memory_;
  std::chrono::milliseconds patience_;
  std::string checksum_;
  bool classification_;
  std::map<int, Helper> helpers_;
};

/// The other end: does cells until none is left. Throws what the desk met as Error of the same kind.
void work_for_desk(CellWork& work, const JudgingMemory& memory, ExperimentElsewhere& others, const RunContext& context);

}  // namespace priorfit::internal
