// What the TOML parser takes for granted. toml++ 3.3 has undefined behaviour, not an error, for a section without a name,
// for letters beyond ASCII outside of quotes, and for a date whose time does not begin with a digit; fuzzing found all
// three. TOML allows none of them; dates that it allows have no use in a specification.
#pragma once

#include <string>

namespace priorfit {

/// Throws Error(data), naming `name` and the line, where the parser cannot be trusted with the text.
void check_toml_text(const std::string& text, const std::string& name);

}  // namespace priorfit
