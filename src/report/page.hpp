// The page that the library carries, and putting results into it.
#pragma once

#include <string>
#include <string_view>

namespace priorfit::internal {

/// Unpacks the page; Error(io) when `packed` is empty, as in a build without Node.js.
std::string unpack_page(std::string_view packed);

/// Puts `results` (see embedded_results) into the one place for them.
std::string fill_page(std::string page, const std::string& results);

}  // namespace priorfit::internal
