// What guards an experiment's database against damage that SQLite does not see: the table checks(cell, checksum) holds
// a checksum of the result of each finished cell and, under the numbers 0 and -1, those of the list of cells and of the
// settings.
#pragma once

#include "experiment/database.hpp"

namespace priorfit::internal {

/// Within the caller's transaction: after the list of cells, the settings or a result were written.
void seal_list(Database& database);
void seal_settings(Database& database);
void seal_result(Database& database, std::int64_t cell);
/// Of a database that had no checksums: makes the table and takes everything as it is.
void seal_all(Database& database);

/// Throws Error(data) that says what is wrong: a trigger or a view, SQLite's own check, a table that is missing, a list
/// of cells that was changed, settings that were, a finished cell whose result is missing or was changed, a result that
/// no cell was given, a number of the format that does not fit. Databases of earlier formats have no checksums.
void require_sound(Database& database, const std::filesystem::path& path);

}  // namespace priorfit::internal
