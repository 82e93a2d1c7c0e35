// Nothing is overwritten silently: what --out may replace.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace priorfit::cli {

/// Throws Error(usage) where a result file of `command` in `folder` would be one of `inputs`, or, without `force`,
/// where the folder holds results of another command.
void check_folder(const std::filesystem::path& folder, const std::string& command,
                  const std::vector<std::string>& inputs, bool force);

/// Takes away what other commands left in the folder; after check_folder(), when new results are about to be written.
void remove_other_results(const std::filesystem::path& folder, const std::string& command);

/// Throws Error(usage) where the file is one of `inputs`, or, without `force`, where it is there already and is not
/// what `command` writes: a table of predictions, an array, weights.
void check_file(const std::filesystem::path& file, const std::string& command, const std::vector<std::string>& inputs,
                bool force);

}  // namespace priorfit::cli
