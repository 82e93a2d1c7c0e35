// Text tables, read by the library and by a second reader of RFC 4180 that goes character by character and leaves
// numbers to strtod: rows, missing fields, numbers and texts must be the same. The first byte is the separator.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "data/text_table.hpp"
#include "harness.hpp"
#include "priorfit/error.hpp"

namespace {

using Fields = std::vector<std::string>;

struct PlainTable {
  std::vector<Fields> rows;
};

/// Nothing for a text that the standard leaves open: quotes within a field, rows of unequal length, lines of blanks,
/// other characters than those of ASCII that can be printed.
std::optional<PlainTable> read_plainly(std::string_view text, char separator) {
  PlainTable table;
  Fields row;
  std::string field;
  bool quoted = false, was_quoted = false;
  const auto end_field = [&] {
    row.push_back(field);
    field.clear();
    was_quoted = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '\n' && (c < ' ' || c > '~')) return std::nullopt;
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      if (!field.empty() || was_quoted) return std::nullopt;
      quoted = was_quoted = true;
    } else if (c == separator) {
      end_field();
    } else if (c == '\n') {
      end_field();
      table.rows.push_back(row);
      row.clear();
    } else {
      if (was_quoted) return std::nullopt;
      field += c;
    }
  }
  if (quoted || !row.empty() || !field.empty() || was_quoted) return std::nullopt;  // the last line has an end here
  if (table.rows.empty()) return std::nullopt;
  for (const Fields& fields : table.rows) {
    if (fields.size() < 2 || fields.size() != table.rows.front().size()) return std::nullopt;
  }
  return table;
}

bool is_number(const std::string& field) {
  std::size_t i = field.starts_with('-') || field.starts_with('+') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < field.size() && field[i] >= '0' && field[i] <= '9') ++i;
    return i - begin;
  };
  const std::size_t before = digits();
  if (i < field.size() && field[i] == '.') {
    ++i;
    if (digits() == 0 && before == 0) return false;
  } else if (before == 0) {
    return false;
  }
  if (i < field.size() && (field[i] == 'e' || field[i] == 'E')) {
    ++i;
    if (i < field.size() && (field[i] == '-' || field[i] == '+')) ++i;
    if (digits() == 0) return false;
  }
  return i == field.size();
}

/// What may stand before a table, or is a word for a missing value or an infinity: the library's own rules.
bool has_rules_of_its_own(std::string_view text, const PlainTable& table) {
  if (text.starts_with('#') || text.starts_with('%') || text.substr(0, 4) == "sep=") return true;
  for (const Fields& fields : table.rows) {
    for (const std::string& field : fields) {
      if (is_number(field) && !std::isfinite(std::strtod(field.c_str(), nullptr))) return true;
      if (!field.empty() && (field.front() == ' ' || field.back() == ' ')) return true;
      if (!field.empty() && (field.front() == '\'' || field.back() == '\'')) return true;  // may be quotes as well
      if (!field.empty() && !is_number(field) && field.find_first_of("iInN?.-") != std::string::npos) return true;
      if (field.find('\n') != std::string::npos) return true;
    }
  }
  return false;
}

[[noreturn]] void differ(const char* how, std::size_t row, std::size_t column) {
  std::fprintf(stderr, "csv: two readers differ in %s at row %zu, column %zu\n", how, row, column);
  std::abort();
}

}  // namespace

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  using namespace priorfit::internal;
  if (bytes.empty()) return;
  const char separator = ",;|"[static_cast<unsigned char>(bytes[0]) % 3];
  const std::string_view text = bytes.substr(1);
  const std::optional<PlainTable> plain = read_plainly(text, separator);
  const bool comparable = plain && !has_rules_of_its_own(text, *plain);
  TableOptions options{.decimal = '.', .separator = separator, .no_header = true};
  const TextTable table = [&] {
    try {
      return read_text_table(text, "input", options, [](const TableDialect&, std::vector<TextColumn>&) {});
    } catch (const Error& error) {
      if (comparable) std::fprintf(stderr, "csv: refused what is plain: %s\n", error.what()), std::abort();
      throw;
    }
  }();
  if (!comparable || !table.notes.empty()) return;
  if (table.rows != static_cast<Index>(plain->rows.size())) differ("their number of rows", plain->rows.size(), 0);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TextColumn& column = table.columns[c];
    if (column.reading == Reading::date || column.too_many) continue;
    for (std::size_t r = 0; r < plain->rows.size(); ++r) {
      const std::string& field = plain->rows[r][c];
      const double found = table.at(static_cast<Index>(r), c);
      if (field.empty()) {
        if (!std::isnan(found)) differ("a missing field", r, c);
      } else if (column.reading == Reading::text) {
        if (std::isnan(found) || column.texts.at(static_cast<std::size_t>(found)) != field) differ("a text", r, c);
      } else if (is_number(field)) {
        if (found != std::strtod(field.c_str(), nullptr)) differ("a number", r, c);
      }
    }
  }
}
