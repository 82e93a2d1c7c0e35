// The results of a folder as the JSON that a page carries.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/json.hpp"

namespace priorfit::internal {

/// Those of the known result files that `folder` holds, in the order in which the page shows them.
std::vector<Json> read_results(const std::filesystem::path& folder);

/// {"version": …, "results": […]} in at most `limit` bytes, safe inside a script element. To fit, every k-th epoch of
/// training curves is kept, counted from the last. Error(resource) when even that does not fit.
std::string embedded_results(std::vector<Json> results, std::size_t limit);

}  // namespace priorfit::internal
