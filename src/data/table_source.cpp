#include "data/table_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/dialect.hpp"
#include "data/json_lines.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t looked_at = std::size_t{1} << 16;

struct Kind {
  std::string_view magic;
  const char* what;
  const char* reader;  // of pandas; null when there is none
};

void check_kind(std::string_view text, const std::string& name) {
  static constexpr std::array<Kind, 8> kinds = {{
      {"PAR1"sv, "a Parquet file", "parquet"},
      {"ARROW1"sv, "a Feather (Arrow) file", "feather"},
      {"FEA1"sv, "a Feather file", "feather"},
      {"\x89HDF"sv, "an HDF5 file", "hdf"},
      {"\xD0\xCF\x11\xE0"sv, "an Excel file", "excel"},
      {"SQLite format 3"sv, "an SQLite database", nullptr},
      {"\x89PNG"sv, "a single picture", nullptr},
      {"\xFF\xD8\xFF"sv, "a single picture", nullptr},
  }};
  for (const Kind& kind : kinds) {
    if (!text.starts_with(kind.magic)) continue;
    const std::string remedy =
        kind.reader != nullptr
            ? fmt::format("in Python: pandas.read_{}('{}').to_csv('table.csv', index=False)", kind.reader, name)
            : std::string("give a table, or a folder of pictures with one folder per class");
    throw Error(ErrorKind::data, fmt::format("{} is {}, which is not read; {}", name, kind.what, remedy));
  }
  // Protocols 2 to 5 begin with their number; older ones are text without a mark.
  if (text.size() > 1 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5) {
    throw Error(ErrorKind::data, fmt::format("{} is a Python pickle, which can run code and is not read; "
                                             "in Python, if you trust it: pandas.read_pickle('{}').to_csv('table.csv', "
                                             "index=False), or numpy.savez('table.npz', X=X, y=y)",
                                             name, name));
  }
}

void check_words(std::string_view text, const std::string& name) {
  const std::string_view start = trimmed(text.substr(read_prologue(text).length, 200));
  if (start.starts_with("<!DOCTYPE") || start.starts_with("<!doctype") || start.starts_with("<html") ||
      start.starts_with("<?xml")) {
    throw Error(ErrorKind::data, fmt::format("{} is a web page (HTML or XML), not a table: perhaps the address that it "
                                             "was fetched from showed a page instead of the file",
                                             name));
  }
  if (start.starts_with("[{") || start.starts_with("[\n")) {
    throw Error(ErrorKind::data, fmt::format("{} is one JSON array; JSON Lines are read, one object per line: in "
                                             "Python, pandas.read_json('{}').to_json('table.jsonl', orient='records', "
                                             "lines=True)",
                                             name, name));
  }
  if (start.starts_with("@relation") || start.starts_with("@RELATION")) {
    throw Error(ErrorKind::data, fmt::format("{} is an ARFF file, which is not read; in Python: pandas.DataFrame("
                                             "scipy.io.arff.loadarff('{}')[0]).to_csv('table.csv', index=False)",
                                             name, name));
  }
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Behind a byte order mark. Half a pair, or half a unit, becomes the sign for what cannot be shown.
std::string from_utf16(std::string_view bytes, bool big_endian) {
  constexpr std::uint32_t replacement = 0xFFFD;
  std::string text;
  text.reserve(bytes.size() / 2);
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const std::uint32_t first = static_cast<unsigned char>(bytes[at]);
    const std::uint32_t second = static_cast<unsigned char>(bytes[at + 1]);
    return big_endian ? first << 8 | second : second << 8 | first;
  };
  for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) {
    std::uint32_t code = unit(at);
    if (code >= 0xD800 && code < 0xE000) {
      const std::uint32_t low = code < 0xDC00 && at + 3 < bytes.size() ? unit(at + 2) : 0;
      const bool pair = low >= 0xDC00 && low < 0xE000;
      code = pair ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : replacement;
      if (pair) at += 2;
    }
    append_utf8(text, code);
  }
  return text;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    const int more = lead < 0x80 ? 0 : lead >= 0xC2 && lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : lead < 0xF5 ? 3 : -1;
    if (more < 0 || (lead >= 0x80 && lead < 0xC2)) return false;
    for (int i = 0; i < more; ++i, ++at) {
      if (at >= text.size()) return true;  // cut by whoever chose the part
      if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) return false;
    }
  }
  return true;
}

// Windows's variant differs in 0x80 to 0x9F, where Latin-1 has nothing to print: the euro sign is what occurs there.
std::string from_latin1(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto code = static_cast<unsigned char>(c);
    append_utf8(text, code == 0x80 ? 0x20AC : code);
  }
  return text;
}

// Comments between rows, blanked so that lines keep their numbers.
std::string without_comments(std::string_view text, char mark) {
  std::string result(text);
  for (std::size_t at = 0; (at = result.find('\n', at)) != std::string::npos;) {
    if (++at >= result.size() || result[at] != mark) continue;
    const std::size_t end = std::min(result.find('\n', at), result.size());
    std::fill(result.begin() + static_cast<std::ptrdiff_t>(at), result.begin() + static_cast<std::ptrdiff_t>(end), ' ');
  }
  return result;
}

}  // namespace

void make_table_text(SourceText& source, const std::string& name, std::vector<std::string>& notes) {
  check_kind(source.text(), name);
  if (source.text().starts_with("\xFF\xFE") || source.text().starts_with("\xFE\xFF")) {
    source.replace(from_utf16(source.text(), source.text()[0] == '\xFE'));
  } else if (!is_utf8(source.text().substr(0, looked_at))) {
    source.replace(from_latin1(source.text()));
    notes.push_back("the text is not UTF-8: read as Latin-1");
  }
  const std::string_view start = source.text().substr(0, looked_at);
  if (start.find('\r') != std::string_view::npos && source.text().find('\n') == std::string_view::npos) {
    std::string lines(source.text());
    std::replace(lines.begin(), lines.end(), '\r', '\n');
    source.replace(std::move(lines));
  }
  check_words(source.text(), name);
  if (is_json_lines(source.text())) return source.replace(json_lines_table(source.text(), name));
  const Prologue prologue = read_prologue(source.text());
  if (prologue.comment == '\0') return;
  const std::string between = {'\n', prologue.comment};
  if (source.text().find(between, prologue.length) == std::string_view::npos) return;
  const std::string head(source.text().substr(0, prologue.length));
  source.replace(head + without_comments(source.text().substr(prologue.length), prologue.comment));
}

}  // namespace priorfit::internal
