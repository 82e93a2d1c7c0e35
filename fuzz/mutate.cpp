#include "mutate.hpp"

#include <algorithm>
#include <cstring>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t largest);

namespace priorfit::fuzz {
namespace {

constexpr std::size_t large = 100'000;  // bytes allowed from which on repetitions are made

void repeat_a_part(std::string& bytes, std::size_t largest, Random& random) {
  if (bytes.empty() || bytes.size() >= largest) return;
  const std::size_t begin = pick(random, bytes.size());
  const std::string part = bytes.substr(begin, 1 + pick(random, std::min<std::size_t>(64, bytes.size() - begin)));
  const std::size_t most = (largest - bytes.size()) / part.size();
  std::string repeated;
  for (std::size_t i = most == 0 ? 0 : 1 + pick(random, most); i > 0; --i) repeated += part;
  bytes.insert(begin, repeated);
}

}  // namespace

void mutate_bytes(std::string& bytes, std::size_t largest, Random& random) {
  if (largest >= large && pick(random, 2) == 0) return repeat_a_part(bytes, largest, random);
  const std::size_t size = std::min(bytes.size(), largest);
  bytes.resize(std::min(largest, size + 64));
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
}

std::size_t mutate_buffer(std::uint8_t* data, std::size_t size, std::size_t largest, unsigned seed,
                          const std::function<std::string(std::string_view, std::size_t, Random&)>& mutate) {
  Random random(seed);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (pick(random, 8) == 0) {
    mutate_bytes(bytes, largest, random);
  } else {
    bytes = mutate(bytes, largest, random);
  }
  bytes.resize(std::min(bytes.size(), largest));
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace priorfit::fuzz
