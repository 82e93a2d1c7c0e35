// One self-contained HTML page that shows the results in a folder: it opens from disk and reaches no network.
//
//     write_report("results");   // reads results/recommendation.json and its kin, writes results/report.html
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace priorfit {

/// No page is larger. Curves of many long trainings are thinned to fit, and the page says so.
inline constexpr std::size_t report_byte_limit = 1'000'000;

/// Throws Error(io) that says what is missing when this build does not carry the page, which takes Node.js to build.
/// Call it before long work whose result is to be shown.
void require_report();

/// The page for those of recommendation.json, experiment.json, prediction.json, training.json, simulation.json and
/// phase.json that `folder` holds.
/// Error(io) when the folder cannot be read; Error(data) when it holds none of them or one that is no such result;
/// Error(resource) when the page would exceed report_byte_limit.
std::string report_page(const std::filesystem::path& folder);

/// Writes report_page(folder) to folder/report.html and returns that path.
std::filesystem::path write_report(const std::filesystem::path& folder);

}  // namespace priorfit
