// A hash of texts that come from files. The standard library's has a fixed seed: 40,000 names of one hash are found in
// seconds, and with them tables of names take a hundred times as long. This one is SipHash-1-3 (Aumasson and Bernstein)
// under a key that each process draws; no result may depend on the order in which such a table holds its texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace priorfit::internal {

struct HashKey {
  std::uint64_t first = 0, second = 0;
};

/// Drawn once by each process.
const HashKey& process_key();

std::uint64_t sip_hash(std::string_view text, const HashKey& key);

/// For std::unordered_map<std::string, …, TextHash> and its like.
struct TextHash {
  std::size_t operator()(std::string_view text) const { return sip_hash(text, process_key()); }
};

}  // namespace priorfit::internal
