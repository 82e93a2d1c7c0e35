// Splits a text table into records and fields: comma, semicolon, tab or runs of blanks between fields, quotes
// as in RFC 4180, any line ending, a byte order mark, comment lines (#) before the first record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/file_io.hpp"

namespace priorfit {

/// `blanks` stands for any run of spaces and tabs.
enum class Delimiter : char { comma = ',', semicolon = ';', tab = '\t', blanks = ' ' };

/// The delimiter that splits most lines of `sample` (whole lines) into the same number of fields, more than
/// one.
Delimiter detect_delimiter(std::string_view sample);

/// Holds one buffer, as long as the longest record needs, whatever the size of the source.
class RecordReader {
 public:
  explicit RecordReader(ByteSource& source);

  /// Moves to the next record that is not blank; false at the end.
  bool next();

  /// Without surrounding blanks and quotes. Valid until next() is called.
  const std::vector<std::string_view>& fields() const { return fields_; }

  /// 1-based number of the line the record begins on.
  std::int64_t line() const { return line_; }

 private:
  bool refill();
  void begin();
  void skip_prologue();
  std::size_t find_record_end();
  void split_plain(std::string_view record);
  void split_quoted(std::size_t first, std::size_t last);
  std::size_t take_quoted_field(std::size_t at, std::size_t last);
  [[noreturn]] void fail(std::int64_t line, const std::string& problem) const;

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t position_ = 0;  // first byte not yet consumed
  std::size_t filled_ = 0;    // end of the bytes that were read
  bool at_end_ = false;
  bool has_quotes_ = false;  // of the record that find_record_end() found
  Delimiter delimiter_ = Delimiter::comma;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
  std::vector<std::string_view> fields_;
};

}  // namespace priorfit
