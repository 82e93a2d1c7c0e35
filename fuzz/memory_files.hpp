// Files in memory, below /memory/, for readers that open by name. The functions of libc that the program, zlib, libzip,
// SQLite and the standard library open and read by are defined here: a name below /memory/ costs no call of the system,
// which took most of an execution, and any other goes to libc as before.
#pragma once

#include <string>
#include <string_view>

namespace priorfit::fuzz {

inline constexpr std::string_view memory_root = "/memory/";

/// Takes the place of what the file held. `path` is below memory_root; folders on the way need not be made.
void set_file(const std::string& path, std::string_view bytes);

/// Nothing when there is no such file.
const std::string* find_file(const std::string& path);

void remove_file(const std::string& path);

}  // namespace priorfit::fuzz
