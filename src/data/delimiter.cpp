#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "data/records.hpp"

namespace priorfit {
namespace {

struct LineCounts {
  std::array<int, 3> marks{};  // ; , and tabs outside of quotes
  int runs = 0;                // runs of spaces and tabs inside the line
  bool blank = true;
  bool mixed = false;  // a space beside a tab or between fields
};

constexpr std::array<Delimiter, 3> delimiter_marks = {Delimiter::semicolon, Delimiter::comma, Delimiter::tab};

std::vector<LineCounts> count_lines(std::string_view sample) {
  std::vector<LineCounts> lines(1);
  bool quoted = false;
  bool in_run = false;
  for (const char c : sample) {
    LineCounts& line = lines.back();
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) {
      lines.emplace_back();
      in_run = false;
    } else if (!quoted && (c == ' ' || c == '\t')) {
      if (c == '\t') ++line.marks[2];
      if (c == ' ') line.mixed = true;
      in_run = !line.blank;
    } else if (c != '\r') {
      if (c == ';' && !quoted) ++line.marks[0];
      if (c == ',' && !quoted) ++line.marks[1];
      if (in_run) ++line.runs;
      in_run = false;
      line.blank = false;
    }
  }
  std::erase_if(lines, [](const LineCounts& line) { return line.blank; });
  return lines;
}

struct Agreement {
  std::size_t lines = 0;  // that hold the commonest count
  int count = 0;          // of separators; 0 when most lines hold none
};

template <typename Count>
Agreement agreement(const std::vector<LineCounts>& lines, Count count) {
  std::map<int, std::size_t> frequency;
  for (const LineCounts& line : lines) ++frequency[count(line)];
  Agreement best;
  for (const auto& [value, times] : frequency) {
    if (value > 0 && times > best.lines) best = {times, value};
  }
  return best;
}

bool all_numbers(std::string_view line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while ((at = std::find_if_not(at, end, blank)) < end) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at + (*at == '+' ? 1 : 0), end, value);
    if (error != std::errc() || (stop != end && !blank(*stop))) return false;
    at = stop;
  }
  return true;
}

// Tabs alone, or tabs and spaces alike? Spaces may pad the fields of a tabbed table or be part of its text.
Delimiter tab_or_blanks(const std::vector<LineCounts>& lines, Agreement tabs, Agreement runs, std::string_view sample) {
  if (tabs.lines != runs.lines) return tabs.lines > runs.lines ? Delimiter::tab : Delimiter::blanks;
  if (tabs.count > runs.count) return Delimiter::blanks;  // a tab at the end of every line
  if (tabs.count == runs.count) {
    const bool mixed = std::any_of(lines.begin(), lines.end(), [](const LineCounts& line) { return line.mixed; });
    return mixed ? Delimiter::blanks : Delimiter::tab;
  }
  while (!sample.empty() && (sample.back() == '\n' || sample.back() == '\r')) sample.remove_suffix(1);
  return all_numbers(sample.substr(sample.rfind('\n') + 1)) ? Delimiter::blanks : Delimiter::tab;
}

}  // namespace

Delimiter detect_delimiter(std::string_view sample) {
  const std::vector<LineCounts> lines = count_lines(sample);
  std::array<Agreement, 3> marks;
  for (std::size_t m = 0; m < marks.size(); ++m) {
    marks[m] = agreement(lines, [m](const LineCounts& line) { return line.marks[m]; });
  }
  const Agreement runs = agreement(lines, [](const LineCounts& line) { return line.runs; });

  // Semicolons before commas: where both agree, the comma is a decimal comma or inside text.
  const std::size_t punctuation = std::max(marks[0].lines, marks[1].lines);
  const std::size_t white = std::max(marks[2].lines, runs.lines);
  if (punctuation > 0 && punctuation >= white) {
    return marks[0].lines >= marks[1].lines ? delimiter_marks[0] : delimiter_marks[1];
  }
  if (white == 0) return Delimiter::comma;
  return tab_or_blanks(lines, marks[2], runs, sample);
}

}  // namespace priorfit
