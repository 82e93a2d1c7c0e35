// How a text table is written: found from its first lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

constexpr std::size_t most_columns = 65536;

/// Fields of one record at `at`, which moves behind it. Surrounding blanks and quotes are taken off, doubled quotes
/// undone into `unescaped`. False at the end of the text. Blank lines are passed over.
class RecordSplitter {
 public:
  RecordSplitter(std::string_view text, char separator, char quote)
      : text_(text), separator_(separator), quote_(quote) {}

  bool next(std::vector<std::string>& fields);

  /// Where the record that came last begins, and how many fields it has; those beyond `most_columns` are not kept.
  std::size_t last_start() const { return last_start_; }
  std::size_t last_size() const { return last_size_; }

 private:
  std::string_view text_;
  char separator_;  // ' ' stands for any run of blanks
  char quote_;
  std::size_t at_ = 0;
  std::size_t last_start_ = 0;
  std::size_t last_size_ = 0;
};

/// `sample` holds whole lines, without a byte order mark or comments. What `wanted` gives is taken as it is.
TableDialect detect_dialect(std::string_view sample, const TableOptions& wanted);

/// What may stand before a table: a UTF-8 byte order mark, blank lines, lines that begin with # or %, Excel's "sep=;".
struct Prologue {
  std::size_t length = 0;
  char comment = '\0';           // what such lines begin with, when there are any
  std::size_t last_comment = 0;  // behind the mark of the last
  std::optional<char> separator;
};
Prologue read_prologue(std::string_view text);

/// Bytes of lines before the table with fewer fields than its rows and no more than one that is filled: titles.
std::size_t title_length(std::string_view sample, const TableDialect& dialect);

/// Whether a comment before the rows names as many columns: "# a b y".
bool is_commented_header(std::string_view line, const TableDialect& dialect, std::size_t columns);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
std::string_view trimmed(std::string_view text);

}  // namespace priorfit::internal
