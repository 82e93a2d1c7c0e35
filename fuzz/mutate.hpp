// Mutations that keep what a checksum, a length or a shape says true, so that they reach what lies behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace priorfit::fuzz {

using Random = std::minstd_rand;

/// One of `count`.
inline std::size_t pick(Random& random, std::size_t count) { return random() % count; }

/// What libFuzzer does to bytes of no known form, at most `largest` of them. Where megabytes are allowed also a part
/// repeated many times, which is what shows that a reader's time grows faster than its input.
void mutate_bytes(std::string& bytes, std::size_t largest, Random& random);

inline std::string mutate_blindly(std::string_view bytes, std::size_t largest, Random& random) {
  std::string changed(bytes);
  mutate_bytes(changed, largest, random);
  return changed;
}

/// An .npy file whose length of header and number of values mostly fit.
std::string mutate_npy(std::string_view bytes, std::size_t largest, Random& random);
/// A .npz file: an array of it changed, renamed, added, doubled, dropped or packed another way, with right checksums.
std::string mutate_npz(std::string_view bytes, std::size_t largest, Random& random);
/// A weight file whose offsets mostly follow each other and fit their shapes.
std::string mutate_safetensors(std::string_view bytes, std::size_t largest, Random& random);

/// JSON whose values, members and elements change, mostly.
std::string mutate_json(std::string_view bytes, std::size_t largest, Random& random);
/// The same behind a byte that chooses.
std::string mutate_report(std::string_view bytes, std::size_t largest, Random& random);
/// A training's checkpoint, without its checksum, whose header has the length it says.
std::string mutate_checkpoint(std::string_view bytes, std::size_t largest, Random& random);
/// A PNG picture with right checksums, whose values are packed as they should be; a JPEG picture's beginning stays.
std::string mutate_picture(std::string_view bytes, std::size_t largest, Random& random);

/// Calls `mutate` on the fuzzer's buffer. One time in eight the bytes are mutated without regard to their form.
std::size_t mutate_buffer(std::uint8_t* data, std::size_t size, std::size_t largest, unsigned seed,
                          const std::function<std::string(std::string_view, std::size_t, Random&)>& mutate);

}  // namespace priorfit::fuzz

/// The mutator of a target.
#define PRIORFIT_MUTATE(mutate)                                                                             \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t largest, \
                                                 unsigned seed) {                                           \
    return priorfit::fuzz::mutate_buffer(data, size, largest, seed, priorfit::fuzz::mutate);                \
  }
