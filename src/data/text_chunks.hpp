// The parts of a text table that are read side by side, and what each finds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/text_table.hpp"

namespace priorfit::internal {

/// Distinct texts of a column in one chunk. Views point into the table's text or into `undone`.
class TextPool {
 public:
  /// The place of `text`, which is added when it is new; 0 once there are too many.
  std::uint32_t place(std::string_view text, bool lasting);
  bool too_many() const { return too_many_; }
  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> slots_;                  // place + 1
  std::vector<std::unique_ptr<std::string>> undone_;  // texts with doubled quotes, which the source does not hold
  bool too_many_ = false;
};

struct ColumnFindings {
  std::unique_ptr<TextPool> pool;  // where there is any text
  Index missing = 0;
  Index unreadable = 0;
  Index dressed = 0;
  Index codes = 0;  // whole numbers with a leading zero
  std::string example;
};

struct Chunk {
  const char* begin = nullptr;
  const char* end = nullptr;
  Index first_row = 0;
  Index rows = 0;
  bool quoted = false;                // holds a quote
  std::vector<ColumnFindings> found;  // one per column

  struct Failure {
    const char* at = nullptr;  // inside the record
    std::string problem;
  };
  std::optional<Failure> failure;
};

/// The newline that ends the record at `at`, or `end`; `open` when a quote is never closed. A quote opens a field only
/// where the field begins.
const char* record_end(const char* at, const char* end, const TableDialect& dialect, bool& open);

/// Cuts the text at the ends of records and counts those of each part. A quote that is never closed is a failure of its
/// chunk.
std::vector<Chunk> cut(std::string_view text, const TableDialect& dialect);

/// Fills the rows of `table` that the chunk holds, in the columns marked in `active`.
void read_chunk(Chunk& chunk, const std::vector<bool>& active, TextTable& table);

}  // namespace priorfit::internal
