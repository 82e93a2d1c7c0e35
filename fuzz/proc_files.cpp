// In place of src/support/proc_files.cpp: a machine with 16 GB of memory free and no limits, always the same. Each
// table asks how much there is, for which a dozen small files of Linux were read.
#include "support/proc_files.hpp"

namespace priorfit::internal {

std::uint64_t read_number(const std::filesystem::path&, std::uint64_t otherwise) { return otherwise; }

std::uint64_t read_entry(const std::filesystem::path&, std::string_view wanted, std::uint64_t otherwise) {
  return wanted == "MemAvailable:" ? std::uint64_t{1} << 24 : otherwise;  // kB
}

}  // namespace priorfit::internal
