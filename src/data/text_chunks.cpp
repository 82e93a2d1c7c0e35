#include "data/text_chunks.hpp"

#include <fmt/format.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "data/dates.hpp"
#include "data/dialect.hpp"
#include "data/numbers.hpp"
#include "data/quick_number.hpp"
#include "support/text_hash.hpp"

namespace priorfit::internal {
namespace {

constexpr std::size_t most_texts = std::size_t{1} << 16;
constexpr std::size_t smallest_chunk = std::size_t{1} << 18;
constexpr std::size_t example_length = 40;

const char* find(const char* at, const char* end, char wanted) {
  const void* found = std::memchr(at, wanted, static_cast<std::size_t>(end - at));
  return found != nullptr ? static_cast<const char*>(found) : end;
}

bool is_blank_line(const char* at, const char* end) { return std::all_of(at, end, is_blank); }

Index count_lines(const char* at, const char* end) {
  Index count = 0;
  while (at < end) {
    const char* const newline = find(at, end, '\n');
    if (!is_blank(*at) && *at != '\n') {
      ++count;
    } else if (!is_blank_line(at, newline)) {
      ++count;
    }
    at = newline + 1;
  }
  return count;
}

class ChunkReader {
 public:
  ChunkReader(Chunk& chunk, const std::vector<bool>& active, TextTable& table)
      : chunk_(chunk),
        active_(active),
        table_(table),
        columns_(table.columns.size()),
        separator_(table.dialect.separator),
        quote_(table.dialect.quote),
        decimal_(table.dialect.decimal),
        blanks_(separator_ == ' '),
        at_(chunk.begin),
        end_(chunk.end) {
    for (std::size_t c = 0; c < columns_; ++c)
      quick_.push_back(active[c] && table.columns[c].reading == Reading::number);
  }

  void read() {
    for (Index row = 0; skip_blank_lines(); ++row) {
      if (row == chunk_.rows) return fail(at_, "more records than lines");
      record_ = at_;
      if (!read_record(&table_.at(chunk_.first_row + row, 0))) return;
    }
  }

 private:
  bool skip_blank_lines() {
    while (at_ < end_) {
      const char* p = at_;
      while (p < end_ && is_blank(*p)) ++p;
      if (p < end_ && *p != '\n') return true;
      at_ = p < end_ ? p + 1 : end_;
    }
    return false;
  }

  void skip_blanks() {
    while (at_ < end_ && is_blank(*at_) && (blanks_ || *at_ != separator_)) ++at_;
  }

  bool at_border() const { return at_ >= end_ || *at_ == '\n' || *at_ == separator_; }

  bool read_record(double* out) {
    for (std::size_t c = 0;; ++c) {
      if (c == columns_) return fail_size();
      if (!(quick_[c] && read_quickly(out[c])) && !read_field(c, out[c])) return false;
      if (blanks_) skip_blanks();
      if (at_ >= end_ || *at_ == '\n') {
        if (at_ < end_) ++at_;
        return c + 1 == columns_ || fail_size();
      }
      if (!blanks_) ++at_;
      if (c + 1 == columns_ && ends_here()) return true;
    }
  }

  // Behind a separator that no field follows.
  bool ends_here() {
    const char* p = at_;
    while (p < end_ && is_blank(*p)) ++p;
    if (p < end_ && *p != '\n') return false;
    at_ = p < end_ ? p + 1 : end_;
    return true;
  }

  // A plain number up to the border of its field; else nothing is read.
  bool read_quickly(double& value) {
    const char* p = at_;
    while (p < end_ && is_blank(*p) && (blanks_ || *p != separator_)) ++p;
    p = quick_number(p, end_, decimal_, value);
    if (p == nullptr) return false;
    if (p < end_ && *p != separator_ && *p != '\n') {
      if (!is_blank(*p)) return false;
      while (!blanks_ && p < end_ && is_blank(*p) && *p != separator_) ++p;
      if (!blanks_ && p < end_ && *p != separator_ && *p != '\n') return false;
    }
    at_ = p;
    return true;
  }

  bool read_field(std::size_t c, double& value) {
    skip_blanks();
    if (at_ < end_ && *at_ == quote_) return read_quoted(c, value);
    const char* const first = at_;
    if (blanks_) {
      while (at_ < end_ && *at_ != '\n' && !is_blank(*at_)) ++at_;
    } else {
      while (at_ < end_ && *at_ != '\n' && *at_ != separator_) ++at_;
    }
    return take(c, trimmed({first, static_cast<std::size_t>(at_ - first)}), value, true);
  }

  bool read_quoted(std::size_t c, double& value) {
    const char* const first = ++at_;
    bool doubled = false;
    for (;; ++at_) {
      at_ = find(at_, end_, quote_);
      if (at_ >= end_) return fail(record_, "a quote is opened and never closed"), false;
      if (at_ + 1 >= end_ || at_[1] != quote_) break;
      doubled = true;
      ++at_;
    }
    const std::string_view raw(first, static_cast<std::size_t>(at_ - first));
    ++at_;
    const char* const behind = at_;
    skip_blanks();
    if (!at_border() && !(blanks_ && at_ > behind)) {
      return fail(record_, fmt::format("field {}: text follows the closing quote", c + 1)), false;
    }
    if (!doubled) return take(c, raw, value, true);
    std::string text;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      text += raw[i];
      if (raw[i] == quote_) ++i;
    }
    return take(c, text, value, false);
  }

  bool take(std::size_t c, std::string_view field, double& value, bool lasting) {
    if (!active_[c]) return true;
    ColumnFindings& found = chunk_.found[c];
    const TextColumn& column = table_.columns[c];
    value = std::numeric_limits<double>::quiet_NaN();
    if (is_missing(field)) return ++found.missing, true;
    if (column.reading == Reading::text) {
      if (!found.pool) found.pool = std::make_unique<TextPool>();
      value = found.pool->place(field, lasting);
      return true;
    }
    if (column.reading == Reading::date) {
      if (const auto day = read_date(field, column.date_order)) return value = *day, true;
    } else {
      double number = 0;
      bool dressed = false;
      const Numeral numeral = read_number(field, decimal_, number, &dressed);
      if (dressed) ++found.dressed;
      if (numeral == Numeral::not_finite) {
        return fail(field.data(),
                    fmt::format("column {} holds '{}', which is not a finite number", c + 1, excerpt(field))),
               false;
      }
      if (numeral == Numeral::finite) {
        if (has_leading_zero(field)) ++found.codes;
        return value = number, true;
      }
      if (is_unknown(field)) return ++found.missing, true;
    }
    if (found.unreadable++ == 0) found.example = excerpt(field);
    ++found.missing;
    return true;
  }

  static std::string excerpt(std::string_view value) {
    if (value.size() <= example_length) return std::string(value);
    return std::string(value.substr(0, example_length)) + "...";
  }

  bool fail_size() {
    bool open = false;
    const char* const stop = record_end(record_, end_, table_.dialect, open);
    RecordSplitter splitter({record_, static_cast<std::size_t>(stop - record_)}, separator_, quote_);
    std::vector<std::string> fields;
    splitter.next(fields);
    fail(record_, fmt::format("{} field{} where {} are expected, as in the first record; correct the line, or "
                              "put quotes around a field that holds '{}'",
                              fields.size(), fields.size() == 1 ? "" : "s", columns_, separator_));
    return false;
  }

  void fail(const char* at, std::string problem) {
    const bool inside = at >= chunk_.begin && at <= chunk_.end;
    chunk_.failure = Chunk::Failure{inside ? at : record_, std::move(problem)};
  }

  Chunk& chunk_;
  const std::vector<bool>& active_;
  TextTable& table_;
  std::vector<char> quick_;  // columns whose fields are numbers as a rule
  const std::size_t columns_;
  const char separator_, quote_, decimal_;
  const bool blanks_;
  const char* record_ = nullptr;
  const char* at_;
  const char* const end_;
};

std::size_t threads() {
#ifdef _OPENMP
  return static_cast<std::size_t>(omp_get_max_threads());
#else
  return 1;
#endif
}

// As if no field were quoted, which is told as well.
std::vector<Chunk> cut_plain(std::string_view text, std::size_t step, char quote) {
  std::vector<Chunk> chunks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const char* stop = end - at > static_cast<std::ptrdiff_t>(step) ? find(at + step, end, '\n') : end;
    if (stop < end) ++stop;
    Chunk chunk;
    chunk.begin = at;
    chunk.end = stop;
    chunks.push_back(std::move(chunk));
    at = stop;
  }
  const auto count = static_cast<std::ptrdiff_t>(chunks.size());
#pragma omp parallel for schedule(dynamic)
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    Chunk& chunk = chunks[static_cast<std::size_t>(i)];
    chunk.quoted = find(chunk.begin, chunk.end, quote) != chunk.end;
    chunk.rows = count_lines(chunk.begin, chunk.end);
  }
  return chunks;
}

std::vector<Chunk> cut_quoted(std::string_view text, std::size_t step, const TableDialect& dialect) {
  std::vector<Chunk> chunks(1);
  const char* at = text.data();
  const char* const end = at + text.size();
  chunks.back().begin = at;
  while (at < end) {
    bool open = false;
    const char* const stop = record_end(at, end, dialect, open);
    if (open) {
      chunks.back().failure = Chunk::Failure{at, "a quote is opened and never closed"};
      chunks.back().end = end;
      return chunks;
    }
    if (!is_blank_line(at, stop)) ++chunks.back().rows;
    at = stop < end ? stop + 1 : end;
    chunks.back().end = at;
    if (at < end && at - chunks.back().begin > static_cast<std::ptrdiff_t>(step)) {
      chunks.emplace_back();
      chunks.back().begin = at;
    }
  }
  return chunks;
}

}  // namespace

const char* record_end(const char* at, const char* end, const TableDialect& dialect, bool& open) {
  const auto separates = [&](char c) { return c == dialect.separator || (dialect.separator == ' ' && is_blank(c)); };
  const char* const newline = find(at, end, '\n');
  open = false;
  if (find(at, newline, dialect.quote) == newline) return newline;
  bool field_start = true;
  for (; at < end; ++at) {
    if (*at == dialect.quote && (open || field_start)) {
      open = !open;
      field_start = !open;  // a doubled quote closes and opens again
    } else if (*at == '\n' && !open) {
      return at;
    } else {
      field_start = separates(*at) || (field_start && is_blank(*at));
    }
  }
  return end;
}

std::uint32_t TextPool::place(std::string_view text, bool lasting) {
  if (too_many_) return 0;
  if (2 * texts_.size() >= slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = TextHash()(text) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    if (texts_[slots_[slot] - 1] == text) return slots_[slot] - 1;
  }
  if (texts_.size() == most_texts) {
    too_many_ = true;
    texts_ = {};
    slots_ = {};
    undone_.clear();
    return 0;
  }
  if (!lasting) {
    undone_.push_back(std::make_unique<std::string>(text));
    text = *undone_.back();
  }
  texts_.push_back(text);
  slots_[slot] = static_cast<std::uint32_t>(texts_.size());
  return slots_[slot] - 1;
}

void TextPool::grow() {
  slots_.assign(std::max<std::size_t>(16, 4 * texts_.size()), 0);
  while ((slots_.size() & (slots_.size() - 1)) != 0) slots_.push_back(0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    std::size_t slot = TextHash()(texts_[i]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

std::vector<Chunk> cut(std::string_view text, const TableDialect& dialect) {
  const std::size_t parts = 4 * threads();
  const std::size_t step = std::max(smallest_chunk, text.size() / parts);
  std::vector<Chunk> chunks = cut_plain(text, step, dialect.quote);
  const bool quoted = std::any_of(chunks.begin(), chunks.end(), [](const Chunk& chunk) { return chunk.quoted; });
  if (quoted) chunks = cut_quoted(text, step, dialect);
  Index rows = 0;
  for (Chunk& chunk : chunks) {
    chunk.first_row = rows;
    rows += chunk.rows;
  }
  return chunks;
}

void read_chunk(Chunk& chunk, const std::vector<bool>& active, TextTable& table) {
  chunk.found = std::vector<ColumnFindings>(table.columns.size());
  ChunkReader(chunk, active, table).read();
}

}  // namespace priorfit::internal
