#include "support/text_hash.hpp"

#include <unistd.h>

#include <bit>
#include <chrono>
#include <cstring>

namespace priorfit::internal {
namespace {

struct SipState {
  std::uint64_t a, b, c, d;

  void round() {
    a += b;
    c += d;
    b = std::rotl(b, 13) ^ a;
    d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b;
    a += d;
    b = std::rotl(b, 17) ^ c;
    d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }

  void take(std::uint64_t word) {
    d ^= word;
    round();
    a ^= word;
  }
};

}  // namespace

std::uint64_t sip_hash(std::string_view text, const HashKey& key) {
  SipState state{key.first ^ 0x736f6d6570736575, key.second ^ 0x646f72616e646f6d, key.first ^ 0x6c7967656e657261,
                 key.second ^ 0x7465646279746573};
  const std::size_t whole = text.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) {
    std::uint64_t word = 0;  // little-endian, as are all machines that this runs on
    std::memcpy(&word, text.data() + i, 8);
    state.take(word);
  }
  std::uint64_t last = 0;
  std::memcpy(&last, text.data() + whole, text.size() - whole);
  state.take(last | static_cast<std::uint64_t>(text.size()) << 56);
  state.c ^= 0xff;
  for (int i = 0; i < 3; ++i) state.round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

const HashKey& process_key() {
  static const HashKey key = [] {
    HashKey drawn;
    if (getentropy(&drawn, sizeof drawn) != 0) {  // an old kernel: hard to guess is all that is left
      drawn.first = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
      drawn.second = reinterpret_cast<std::uintptr_t>(&drawn);
    }
    return drawn;
  }();
  return key;
}

}  // namespace priorfit::internal
