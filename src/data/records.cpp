#include "data/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "priorfit/error.hpp"

namespace priorfit {
namespace {

constexpr std::size_t initial_buffer = std::size_t{1} << 20;
constexpr std::size_t detection_sample = std::size_t{1} << 16;
constexpr std::size_t longest_record = std::size_t{1} << 28;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool separates(char c, Delimiter delimiter) {
  return c == static_cast<char>(delimiter) || (delimiter == Delimiter::blanks && c == '\t');
}

}  // namespace

// One byte more than a small source can hold shows its end at the first read.
RecordReader::RecordReader(ByteSource& source)
    : source_(source), buffer_(std::min<std::uint64_t>(initial_buffer - 1, source.size_bound()) + 1) {
  begin();
}

void RecordReader::begin() {
  refill();
  skip_prologue();
  const std::string_view text(buffer_.data() + position_, filled_ - position_);
  if (std::memchr(text.data(), '\0', text.size()) != nullptr) {
    fail(1, "holds zero bytes, so it is not a text table (UTF-16 text must be saved as UTF-8)");
  }
  std::string_view sample = text.substr(0, detection_sample);
  if (sample.size() < text.size() || !at_end_) sample = sample.substr(0, sample.rfind('\n'));
  delimiter_ = detect_delimiter(sample);
}

void RecordReader::skip_prologue() {
  const std::string_view text(buffer_.data(), filled_);
  if (text.starts_with("\xEF\xBB\xBF")) position_ = 3;
  while (position_ < filled_) {
    const std::size_t end = std::min(text.find('\n', position_), filled_);
    const std::string_view line = trim(text.substr(position_, end - position_));
    if (!line.empty() && line.front() != '#') break;
    position_ = std::min(end + 1, filled_);
    ++next_line_;
  }
}

bool RecordReader::refill() {
  if (at_end_) return false;
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(position_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
  filled_ -= position_;
  position_ = 0;
  if (filled_ == buffer_.size()) {
    if (filled_ >= longest_record) {
      fail(next_line_,
           fmt::format("a record is longer than {} MB: a quote left open, or not a text table", longest_record >> 20));
    }
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t count = source_.read(std::span(buffer_).subspan(filled_));
  at_end_ = filled_ + count < buffer_.size();
  filled_ += count;
  return count > 0;
}

bool RecordReader::next() {
  for (;;) {
    if (position_ == filled_ && !refill()) return false;
    const std::size_t end = find_record_end();
    const std::size_t first = position_;
    const std::string_view record(buffer_.data() + first, end - first);
    line_ = next_line_;
    next_line_ += 1 + (has_quotes_ ? std::count(record.begin(), record.end(), '\n') : 0);
    position_ = std::min(end + 1, filled_);
    const std::string_view trimmed = trim(record);
    if (trimmed.empty()) continue;
    fields_.clear();
    if (has_quotes_) {
      split_quoted(first, end);
    } else {
      // Blanks around a record are never fields of their own, except that a tab may end an empty field.
      split_plain(delimiter_ == Delimiter::tab ? record : trimmed);
    }
    return true;
  }
}

// The place of the newline that ends the record at position_, or of the end of the data.
std::size_t RecordReader::find_record_end() {
  for (;;) {
    const char* begin = buffer_.data() + position_;
    const std::size_t length = filled_ - position_;
    const auto* newline = static_cast<const char*>(std::memchr(begin, '\n', length));
    const std::size_t line_length = newline != nullptr ? static_cast<std::size_t>(newline - begin) : length;
    has_quotes_ = std::memchr(begin, '"', line_length) != nullptr;
    if (!has_quotes_) {
      if (newline != nullptr) return position_ + line_length;
    } else {
      bool quoted = false;
      bool field_start = true;
      for (std::size_t i = position_; i < filled_; ++i) {
        const char c = buffer_[i];
        if (c == '"' && (quoted || field_start)) {
          quoted = !quoted;
          field_start = !quoted;  // a doubled quote closes and opens again
          continue;
        }
        if (c == '\n' && !quoted) return i;
        field_start = separates(c, delimiter_) || (field_start && is_blank(c));
      }
      if (quoted && at_end_) fail(next_line_, "a quote is opened and never closed");
    }
    if (!refill()) return filled_;
  }
}

void RecordReader::split_plain(std::string_view record) {
  const char* at = record.data();
  const char* const end = at + record.size();
  if (delimiter_ == Delimiter::blanks) {
    while (at < end) {
      const char* stop = std::find_if(at, end, is_blank);
      fields_.emplace_back(at, static_cast<std::size_t>(stop - at));
      at = std::find_if_not(stop, end, is_blank);
    }
    return;
  }
  for (;;) {
    const auto* stop =
        static_cast<const char*>(std::memchr(at, static_cast<char>(delimiter_), static_cast<std::size_t>(end - at)));
    if (stop == nullptr) stop = end;
    fields_.push_back(trim({at, static_cast<std::size_t>(stop - at)}));
    if (stop == end) return;
    at = stop + 1;
  }
}

void RecordReader::split_quoted(std::size_t first, std::size_t last) {
  const auto skip_blanks = [&](std::size_t i) {
    while (i < last && is_blank(buffer_[i]) && !(delimiter_ == Delimiter::tab && buffer_[i] == '\t')) ++i;
    return i;
  };
  std::size_t at = skip_blanks(first);
  for (;;) {
    if (at < last && buffer_[at] == '"') {
      at = skip_blanks(take_quoted_field(at, last));
      const bool after_blank = at > first && is_blank(buffer_[at - 1]);
      if (at < last && !separates(buffer_[at], delimiter_) && !(delimiter_ == Delimiter::blanks && after_blank)) {
        fail(line_, fmt::format("field {}: text follows the closing quote", fields_.size()));
      }
    } else {
      std::size_t stop = at;
      while (stop < last && !separates(buffer_[stop], delimiter_)) ++stop;
      fields_.push_back(trim({buffer_.data() + at, stop - at}));
      at = delimiter_ == Delimiter::blanks ? skip_blanks(stop) : stop;
    }
    if (at >= last) return;
    at = delimiter_ == Delimiter::blanks ? at : skip_blanks(at + 1);
  }
}

// Unescapes doubled quotes in place: the text only shrinks. Returns the place after the closing quote.
std::size_t RecordReader::take_quoted_field(std::size_t at, std::size_t last) {
  const std::size_t begin = at + 1;
  std::size_t out = begin;
  for (std::size_t i = begin; i < last; ++i) {
    if (buffer_[i] == '"') {
      if (i + 1 >= last || buffer_[i + 1] != '"') {
        fields_.emplace_back(buffer_.data() + begin, out - begin);
        return i + 1;
      }
      ++i;
    }
    buffer_[out++] = buffer_[i];
  }
  fail(line_, "a quote is opened and never closed");
}

void RecordReader::fail(std::int64_t line, const std::string& problem) const {
  throw Error(ErrorKind::data, fmt::format("{}, line {}: {}", source_.name(), line, problem));
}

}  // namespace priorfit
