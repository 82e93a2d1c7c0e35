// What processes tell each other about cells, as bytes. Both ends are the same program on machines of one kind.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "experiment/store.hpp"

namespace priorfit::internal {

class Packer {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T> Packer& add(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Packer& add(const std::string& text) {
    add(text.size());
    bytes_ += text;
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Throws Error(internal) where the bytes end too early.
class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T> T take() {
    T value;
    std::memcpy(&value, next(sizeof value), sizeof value);
    return value;
  }
  std::string take_text() {
    const auto size = take<std::size_t>();
    return std::string(next(size), size);
  }

 private:
  const char* next(std::size_t size);

  const std::string& bytes_;
  std::size_t at_ = 0;
};

void pack(Packer& packer, const Owner& owner);
void pack(Packer& packer, const Cell& cell);
/// What Store::finish() keeps of them, no more.
void pack(Packer& packer, const Score& score);
void pack(Packer& packer, const TrainingSummary& summary);
Owner unpack_owner(Unpacker& unpacker);
Cell unpack_cell(Unpacker& unpacker);
Score unpack_score(Unpacker& unpacker);
TrainingSummary unpack_training(Unpacker& unpacker);

}  // namespace priorfit::internal
