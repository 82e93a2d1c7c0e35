#include "support/word_table.hpp"

#include <algorithm>
#include <numeric>

#include "support/text.hpp"

namespace priorfit::internal {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t shortest_words = 24;  // what a last column of words needs
constexpr std::size_t gap = 2;              // between columns
constexpr std::size_t longest_name = 44;    // of the first column, before it takes a line of its own

bool is_right(const WordTable& table, std::size_t column) {
  return !table.alignment.empty() && table.alignment[std::min(column, table.alignment.size() - 1)] == 'r';
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t own = columns_of(text);
  const std::string blanks(width > own ? width - own : 0, ' ');
  return right ? blanks + text : text + blanks;
}

bool is_remark(const WordTable& table, const Row& row) { return row.size() < table.rows.front().size(); }

std::vector<std::size_t> widths_of(const WordTable& table, std::size_t room) {
  std::vector<std::size_t> widths(table.rows.front().size(), 0);
  for (const Row& row : table.rows) {
    for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c) {
      if (c > 0 && is_remark(table, row)) break;
      widths[c] = std::max(widths[c], columns_of(row[c]));
    }
  }
  // Words at the end of a line may be broken by whoever shows it.
  if (widths.size() > 1 && !is_right(table, widths.size() - 1)) widths.back() = std::min(widths.back(), shortest_words);
  const std::size_t whole = std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
  if (whole > room) widths[0] = std::min(widths[0], longest_name);
  return widths;
}

/// The first column and those from `begin` to `end`.
std::string part(const WordTable& table, const std::vector<std::size_t>& widths, std::size_t begin, std::size_t end,
                 std::size_t indent, std::size_t columns) {
  std::string out;
  for (const Row& row : table.rows) {
    if (begin > 1 && is_remark(table, row)) continue;
    std::string line = std::string(indent, ' ') + padded(row[0], widths[0], is_right(table, 0));
    if (columns_of(row[0]) > widths[0]) {
      const std::string blanks(indent, ' ');
      out += blanks + wrapped(row[0], columns - indent, blanks + "  ");
      line = std::string(indent + widths[0], ' ');
    }
    for (std::size_t c = begin; c < std::min(end, row.size()); ++c) {
      line += std::string(gap, ' ') + (is_remark(table, row) ? row[c] : padded(row[c], widths[c], is_right(table, c)));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace

std::string aligned(const WordTable& table, std::size_t indent, std::size_t columns) {
  if (table.rows.empty() || table.rows.front().empty()) return {};
  const std::vector<std::size_t> widths = widths_of(table, columns - indent);
  std::string out;
  std::size_t begin = 1;
  do {
    std::size_t end = begin, width = indent + widths[0];
    while (end < widths.size() && (end == begin || width + gap + widths[end] <= columns)) width += gap + widths[end++];
    out += (out.empty() ? "" : "\n") + part(table, widths, begin, end, indent, columns);
    begin = end;
  } while (begin < widths.size());
  return out;
}

std::string markdown(const WordTable& table) {
  if (table.rows.empty()) return {};
  const std::size_t columns = table.rows.front().size();
  std::string out;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += "|";
    for (std::size_t c = 0; c < columns; ++c) {
      out += " ";
      for (const char letter : c < table.rows[r].size() ? table.rows[r][c] : std::string()) {
        if (letter == '|' || letter == '<') out += '\\';
        out += letter == '\n' ? ' ' : letter;
      }
      out += " |";
    }
    out += "\n";
    if (r > 0) continue;
    out += "|";
    for (std::size_t c = 0; c < columns; ++c) out += is_right(table, c) ? " ---: |" : " --- |";
    out += "\n";
  }
  return out;
}

std::string paragraphs(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string_view::npos) out += std::string(line.substr(first)) + "\n\n";
  }
  return out;
}

}  // namespace priorfit::internal
