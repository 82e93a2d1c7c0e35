#include "man_page.hpp"

#include <fmt/format.h>

#include "priorfit/version.hpp"
#include "words.hpp"

namespace priorfit::cli {
namespace {

/// Hyphens that are typed, and what troff would take for a request or an escape.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
      out += c;
    }
  }
  return out;
}

std::string options_of(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_positional() ? option->get_name(true) : option->get_name(false, true);
    text += fmt::format(".TP\n\\fB{}\\fR", escaped(name));
    if (!option->get_positional() && option->get_type_size() != 0) {
      text += fmt::format(" \\fI{}\\fR", escaped(option->get_type_name()));
    }
    text += "\n" + escaped(option->get_description());
    if (!option->get_default_str().empty()) text += fmt::format(" (default: {})", escaped(option->get_default_str()));
    text += "\n";
  }
  return text;
}

}  // namespace

std::string man_page(const CLI::App& app, const CLI::App& command) {
  const bool whole = &command == &app;
  const std::string name = whole ? "priorfit" : "priorfit-" + command.get_name();
  const std::string typed = whole ? "priorfit" : "priorfit " + command.get_name();
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string text = fmt::format(".TH {} 1 \"\" \"priorfit {}\" \"User Commands\"\n", escaped(upper), version());
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(first_sentence(command.get_description())));
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR {}\n", escaped(typed), whole ? "COMMAND [OPTIONS]" : usage_of(command));
  text += fmt::format(".SH DESCRIPTION\n{}\n", escaped(command.get_description()));
  if (whole) {
    text += ".SH COMMANDS\n";
    for (const CLI::App* each : shown_commands(app)) {
      text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(each->get_name()), escaped(each->get_description()));
    }
  }
  text += ".SH OPTIONS\n" + options_of(command);
  text +=
      ".SH EXIT STATUS\n"
      "0 done, 1 internal error, 2 usage, 3 bad data, 4 numerical trouble, 5 reading or writing failed, 6 memory is "
      "short, 130 interrupted.\n"
      ".SH ENVIRONMENT\n.TP\n\\fBPRIORFIT_DATA\\fR\nfolder of the named data sets\n.TP\n\\fBNO_COLOR\\fR\n"
      "no colour, even on a terminal\n";
  text += ".SH SEE ALSO\n";
  std::string others;
  for (const CLI::App* each : shown_commands(app)) {
    if (each == &command) continue;
    others += fmt::format("{}\\fBpriorfit\\-{}\\fR(1)", others.empty() ? "" : ",\n", escaped(each->get_name()));
  }
  if (!whole) others = "\\fBpriorfit\\fR(1),\n" + others;
  return text + others + "\n";
}

}  // namespace priorfit::cli
