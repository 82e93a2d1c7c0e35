// What the TOML parser takes for granted. toml++ 3.3 has undefined behaviour, not an error, for a section without a name
// and for letters beyond ASCII outside of quotes; fuzzing found both. TOML allows neither.
#pragma once

#include <string>

namespace priorfit {

/// Throws Error(data), naming `name` and the line, where the parser cannot be trusted with the text.
void check_toml_text(const std::string& text, const std::string& name);

}  // namespace priorfit
