// How a text table is written: found from its first lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

/// Fields of one record at `at`, which moves behind it. Surrounding blanks and quotes are taken off, doubled quotes
/// undone into `unescaped`. False at the end of the text. Blank lines are passed over.
class RecordSplitter {
 public:
  RecordSplitter(std::string_view text, char separator, char quote)
      : text_(text), separator_(separator), quote_(quote) {}

  bool next(std::vector<std::string>& fields);

  /// Where the record that came last begins.
  std::size_t last_start() const { return last_start_; }

 private:
  std::string_view text_;
  char separator_;  // ' ' stands for any run of blanks
  char quote_;
  std::size_t at_ = 0;
  std::size_t last_start_ = 0;
};

/// `sample` holds whole lines, without a byte order mark or comments. What `wanted` gives is taken as it is.
TableDialect detect_dialect(std::string_view sample, const TableOptions& wanted);

/// Takes off a UTF-8 byte order mark, then blank lines and lines that begin with # before the first record.
std::size_t prologue_length(std::string_view text);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
std::string_view trimmed(std::string_view text);

}  // namespace priorfit::internal
