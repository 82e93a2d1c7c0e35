#include "experiment/integrity.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "experiment/schema.hpp"
#include "priorfit/error.hpp"
#include "support/checksum.hpp"

namespace priorfit::internal {
namespace {

constexpr std::int64_t list = 0, settings = -1;  // cells are numbered from 1
constexpr std::array result_tables = {evidence_table, risks_table, scores_table, training_table, epochs_table};

/// Of all that the rows hold, and of how many there are.
struct Sum {
  std::uint32_t checksum = 0;
  std::int64_t rows = 0;
};

void add_rows(Statement& rows, Sum& sum) {
  while (rows.step()) {
    for (int column = 0; column < rows.columns(); ++column) {
      sum.checksum = add_to_checksum(sum.checksum, rows.bytes(column));
    }
    ++sum.rows;
  }
}

std::int64_t sum_of(Database& database, const char* sql) {
  Sum sum;
  Statement rows = database.prepare(sql);
  add_rows(rows, sum);
  return (sum.rows << 32) + sum.checksum;
}

std::int64_t sum_of_list(Database& database) {
  return sum_of(database, "SELECT id, kind, size, prior, seed FROM cells ORDER BY id");
}

std::int64_t sum_of_settings(Database& database) {
  return sum_of(database, "SELECT key, value FROM meta ORDER BY key");
}

/// The checksums of cells' results. Its statements are made once: to make them took longer than to run them.
class ResultSums {
 public:
  explicit ResultSums(Database& database) {
    for (const ResultTable& table : result_tables) {
      const bool several = std::string_view(table.name) == epochs_table.name;
      const std::string sql = fmt::format("SELECT {} FROM {} WHERE cell = ?{}", table.columns, table.name,
                                          several ? " ORDER BY epoch" : "");
      rows_.push_back(database.prepare(sql.c_str()));
    }
  }

  /// Nothing when there is no result at all.
  std::optional<std::int64_t> of(std::int64_t cell) {
    Sum sum;
    for (Statement& rows : rows_) add_rows(rows.bind(cell), sum);
    if (sum.rows == 0) return std::nullopt;
    return (sum.rows << 32) + sum.checksum;
  }

 private:
  std::vector<Statement> rows_;
};

void put(Database& database, std::int64_t cell, std::int64_t sum) {
  database.prepare("INSERT OR REPLACE INTO checks (cell, checksum) VALUES (?, ?)").bind(cell, sum).run();
}

std::vector<std::int64_t> finished_cells(Database& database) {
  std::vector<std::int64_t> cells;
  Statement row = database.prepare("SELECT id FROM cells WHERE state = 'done' ORDER BY id");
  while (row.step()) cells.push_back(row.integer(0));
  return cells;
}

std::map<std::int64_t, std::int64_t> stored_sums(Database& database) {
  std::map<std::int64_t, std::int64_t> sums;
  Statement row = database.prepare("SELECT cell, checksum FROM checks");
  while (row.step()) sums[row.integer(0)] = row.integer(1);
  return sums;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorKind::data,
              fmt::format("experiment database '{}' is damaged: {}; take a copy from before, or start again in another "
                          "folder",
                          path.string(), what));
}

[[noreturn]] void fail_changed(const std::filesystem::path& path, std::int64_t cell) {
  fail(path, fmt::format("the result of cell {} was changed after it was written", cell));
}

/// A result that no cell was finished with: it would be shown and was never sealed.
void require_no_other_results(Database& database, const std::filesystem::path& path) {
  for (const ResultTable& table : result_tables) {
    const std::string sql = fmt::format("SELECT cell FROM {} WHERE cell NOT IN (SELECT cell FROM checks)", table.name);
    Statement row = database.prepare(sql.c_str());
    if (row.step()) fail(path, fmt::format("cell {} has a result that it was not given", row.integer(0)));
  }
}

/// Triggers act behind our statements, and a view gives what it likes under a table's name. We make neither. What is
/// beneath may be sound, and is looked at when they are gone.
void require_nothing_added(Database& database, const std::filesystem::path& path) {
  Statement row = database.prepare("SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')");
  if (!row.step()) return;
  const std::string what = row.text(0), name = row.text(1);
  throw Error(ErrorKind::data,
              fmt::format("experiment database '{}': somebody added the {} '{}' to it, which could change results; "
                          "remove it (DROP {} \"{}\"), or keep it in a copy",
                          path.string(), what, name, what == "view" ? "VIEW" : "TRIGGER", name));
}

void require_tables(Database& database, const std::filesystem::path& path, std::int64_t format) {
  std::vector<const char*> tables = {"meta", "cells", "evidence", "training", "epochs"};
  if (format >= 2) tables.insert(tables.end(), {"risks", "scores"});
  if (format >= 3) tables.push_back("checks");
  std::set<std::string> found;
  for (Statement row = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'"); row.step();) {
    found.insert(row.text(0));
  }
  for (const char* table : tables) {
    if (!found.contains(table)) fail(path, fmt::format("its table '{}' is missing", table));
  }
}

}  // namespace

void seal_list(Database& database) { put(database, list, sum_of_list(database)); }

void seal_settings(Database& database) { put(database, settings, sum_of_settings(database)); }

void seal_result(Database& database, std::int64_t cell) {
  if (const auto sum = ResultSums(database).of(cell)) put(database, cell, *sum);
}

void seal_all(Database& database) {
  database.execute(make_checks);
  seal_list(database);
  seal_settings(database);
  for (const std::int64_t cell : finished_cells(database)) seal_result(database, cell);
}

void require_sound(Database& database, const std::filesystem::path& path) {
  require_nothing_added(database, path);
  const std::int64_t format = stored_format(database);
  if (format == 0 && !has_table(database, "cells")) return;  // empty
  {
    Statement row = database.prepare("PRAGMA integrity_check(1)");
    if (row.step() && row.text(0) != "ok") fail(path, row.text(0));
  }
  // The number of the format stands in the file by itself: one that is wrong must not switch the checks off.
  if (format < 1 || (format < 3 && has_table(database, "checks"))) fail(path, "the number of its format was changed");
  require_tables(database, path, format);
  if (format < 3) return;
  const auto sums = stored_sums(database);
  const auto known = sums.find(list), known_settings = sums.find(settings);
  if (known == sums.end() || known->second != sum_of_list(database)) {
    fail(path, "cells of its list are missing or were changed");
  }
  if (known_settings == sums.end()) fail(path, "its settings have no checksum");
  if (known_settings->second != sum_of_settings(database)) {
    fail(path, "its settings were changed after they were written");
  }
  ResultSums results(database);
  std::map<std::int64_t, std::optional<std::int64_t>> found;
  for (const auto& [cell, sum] : sums) {
    if (cell > 0) found[cell] = results.of(cell);
  }
  for (const std::int64_t cell : finished_cells(database)) {
    const auto known_result = found.find(cell);
    if (!(known_result != found.end() ? known_result->second : results.of(cell))) {
      fail(path, fmt::format("cell {} is marked as done and has no result", cell));
    }
    if (known_result == found.end()) fail_changed(path, cell);
  }
  for (const auto& [cell, sum] : found) {
    if (sum != sums.at(cell)) fail_changed(path, cell);
  }
  require_no_other_results(database, path);
}

}  // namespace priorfit::internal
