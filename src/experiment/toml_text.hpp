// What the TOML parser takes for granted. toml++ 3.3 has undefined behaviour, not an error, for a section without a name,
// for letters beyond ASCII outside of quotes, for a date whose time does not begin with a digit and for a closing brace as
// a value; fuzzing found them all. TOML allows none of them; the dates and braces that it allows have no use in a
// specification, so they are refused with the rest.
#pragma once

#include <string>

namespace priorfit {

/// Throws Error(data), naming `name` and the line, where the parser cannot be trusted with the text.
void check_toml_text(const std::string& text, const std::string& name);

}  // namespace priorfit
