// Tables of words, for a terminal and in Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace priorfit::internal {

struct WordTable {
  std::string alignment;                       // 'l' or 'r' of each column; the last holds for those that follow
  std::vector<std::vector<std::string>> rows;  // the first is the head; a row that is shorter ends in a remark
};

/// Aligned by blanks, `indent` of them first. What is wider than `columns` is split: further columns follow below, each
/// part with the first column again; a long name in the first column has a line of its own.
std::string aligned(const WordTable& table, std::size_t indent = 2, std::size_t columns = 100);

/// | a | b | with its line of dashes; bars within cells are escaped.
std::string markdown(const WordTable& table);

/// Lines as paragraphs of Markdown, a blank line after each.
std::string paragraphs(std::string_view lines);

}  // namespace priorfit::internal
