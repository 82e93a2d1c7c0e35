#include "experiment/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "experiment/integrity.hpp"
#include "experiment/schema.hpp"
#include "experiment/start_key.hpp"
#include "priorfit/error.hpp"
#include "support/durable.hpp"
#include "support/text.hpp"

namespace priorfit::internal {
namespace {

constexpr const char* cell_columns = "id, kind, size, prior, seed, state";
constexpr int after_cell = 6;  // the column behind them
constexpr const char* threads_key = "threads";

Cell read_cell(const Statement& row) {
  return {.id = row.integer(0),
          .kind = row.text(1),
          .size = row.integer(2),
          .start = row.text(3),
          .seed = static_cast<std::uint64_t>(row.integer(4)),
          .done = row.text(5) == "done"};
}

}  // namespace

Store::Store(const std::filesystem::path& path, Database::Mode mode, Owner owner)
    : database_(path, mode), owner_(std::move(owner)), path_(path) {}

void Store::require_known_format() {
  const std::int64_t found = stored_format(database_);
  if (found <= database_format) return;
  throw Error(ErrorKind::data, fmt::format("'{}' was written by a later version of priorfit (format {}, this one reads "
                                           "up to {})",
                                           path_.string(), found, database_format));
}

void Store::require_sound() {
  const Snapshot unchanged(database_);  // or a result finished meanwhile would not fit the checksums read before it
  require_known_format();
  internal::require_sound(database_, path_);
}

void Store::create_or_check(const Entries& entries, const Entries& defaults, const Entries& facts,
                            const std::vector<Cell>& cells) {
  require_sound();
  if (stored_format(database_) > 0 && stored_format(database_) < database_format) upgrade(entries, defaults);
  Transaction transaction(database_);
  const bool is_new = stored_format(database_) == 0;
  if (is_new) {
    create(entries, cells);
  } else {
    check(entries, defaults);
  }
  put(facts);  // of the same data, and perhaps more of them than before
  seal_settings(database_);
  transaction.commit();
  if (is_new) internal::sync_folder_of(path_);
}

void Store::upgrade(const Entries& entries, const Entries& defaults) {
  const ForeignKeysOff keys(database_);
  Transaction transaction(database_);
  if (stored_format(database_) == database_format) return;  // another process was quicker
  check(entries, defaults);                                 // what is refused stays as it is
  upgrade_tables(database_, owner_);
  transaction.commit();
}

void Store::create(const Entries& entries, const std::vector<Cell>& cells) {
  create_tables(database_);
  put(entries);
  Statement insert = database_.prepare(
      "INSERT INTO cells (kind, size, prior, weight_variance, bias_variance, seed) VALUES (?, ?, ?, ?, ?, ?)");
  for (const Cell& cell : cells) {
    const LayerPrior shown = pair_in_key(cell.start).value_or(LayerPrior{0.0, 0.0});
    insert
        .bind(cell.kind, std::int64_t{cell.size}, cell.start, shown.weight_variance, shown.bias_variance,
              static_cast<std::int64_t>(cell.seed))
        .run();
  }
  seal_list(database_);
}

void Store::note_threads(int threads) {
  std::vector<int> all = this->threads();
  if (std::binary_search(all.begin(), all.end(), threads)) return;
  Transaction transaction(database_);
  all = this->threads();  // another process may have written meanwhile
  all.push_back(threads);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  put({{threads_key, fmt::format("{}", fmt::join(all, ","))}});
  seal_settings(database_);
  transaction.commit();
}

std::vector<int> Store::threads() {
  std::vector<int> all;
  std::istringstream kept(find(threads_key).value_or(""));
  for (std::string number; std::getline(kept, number, ',');) {
    const char* end = number.data() + number.size();
    if (const auto read = std::from_chars(number.data(), end, all.emplace_back());
        read.ec != std::errc() || read.ptr != end) {
      throw Error(ErrorKind::data, fmt::format("'{}' has no numbers of threads but '{}'", path_.string(), number));
    }
  }
  return all;
}

void Store::add_criterion(const std::string& name) {
  Transaction transaction(database_);
  database_
      .prepare(
          "INSERT OR IGNORE INTO cells (kind, size, prior, weight_variance, bias_variance, seed) "
          "SELECT ?, size, prior, weight_variance, bias_variance, 0 FROM cells WHERE kind = 'evidence' ORDER BY id")
      .bind(name)
      .run();
  seal_list(database_);
  transaction.commit();
}

std::optional<std::string> Store::find(const std::string& key) {
  Statement row = database_.prepare("SELECT value FROM meta WHERE key = ?");
  if (!row.bind(key).step()) return std::nullopt;
  return row.text(0);
}

void Store::put(const Entries& entries) {
  for (const auto& [key, value] : entries) {
    database_.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").bind(key, value).run();
  }
}

void Store::check(const Entries& entries, const Entries& defaults) {
  for (const auto& [key, value] : entries) {
    const auto usual =
        std::find_if(defaults.begin(), defaults.end(), [&key = key](const auto& e) { return e.first == key; });
    const std::string stored = find(key).value_or(usual != defaults.end() ? usual->second : std::string());
    if (stored == value) continue;
    throw Error(ErrorKind::usage,
                fmt::format("'{}' holds an experiment with {} = {}, and {} is asked for now; take another folder, or "
                            "the old value",
                            path_.parent_path().string(), key, stored, value));
  }
  put(entries);
}

Entries Store::entries(const Entries& keys) {
  Entries found;
  for (const auto& [key, ignored] : keys) {
    if (const auto value = find(key)) found.emplace_back(key, *value);
  }
  return found;
}

std::string Store::fact(const std::string& key) {
  const auto value = find(key);
  if (!value) throw Error(ErrorKind::data, fmt::format("'{}' has no entry '{}'", path_.string(), key));
  return *value;
}

std::vector<Store::Unfinished> Store::unfinished() {
  const std::int64_t now = unix_seconds();
  const std::string sql = fmt::format(
      "SELECT {}, owner_host, owner_pid, owner_started, heartbeat FROM cells WHERE state != 'done' ORDER BY id",
      cell_columns);
  std::vector<Unfinished> all;
  for (Statement row = database_.prepare(sql.c_str()); row.step();) {
    const Cell cell = read_cell(row);
    const Owner owner{row.text(after_cell), row.integer(after_cell + 1), row.integer(after_cell + 2)};
    const bool claimed = row.text(5) == "claimed";
    const std::int64_t heartbeat = row.integer(after_cell + 3);
    const bool held =
        claimed && owner != owner_ && is_alive(owner, heartbeat, now) && !watch_.has_stopped(cell.id, owner, heartbeat);
    all.push_back({cell, held ? std::optional(owner) : std::nullopt});
  }
  return all;
}

bool Store::judged_here() {
  const std::vector<Unfinished> all = unfinished();
  return std::any_of(all.begin(), all.end(), [&](const Unfinished& one) {
    return one.holder && one.cell.kind != training_kind && on_one_machine(*one.holder, owner_);
  });
}

std::optional<Cell> Store::claim(const Kinds& kinds, const Room& room) {
  Transaction transaction(database_);
  std::vector<Cell> free;
  std::set<Index> busy_sizes;  // at which another process judges
  double used_here = 0.0;      // by others of this machine, or will be
  holders_.clear();
  for (const auto& [cell, holder] : unfinished()) {
    if (!holder) {
      if (kinds.contains(cell.kind)) free.push_back(cell);
      continue;
    }
    ++holders_[*holder];
    if (cell.kind == training_kind) continue;
    busy_sizes.insert(cell.size);
    if (on_one_machine(*holder, owner_)) used_here += room.bytes(cell);
  }
  const auto chosen = std::find_if(free.begin(), free.end(), [&](const Cell& cell) {
    if (cell.kind == training_kind) return true;
    // Alone it may try. Others may have filled what is usable already: better to wait than to fail.
    return !busy_sizes.contains(cell.size) && (used_here == 0.0 || used_here + room.bytes(cell) <= room.usable);
  });
  if (chosen == free.end()) return std::nullopt;
  database_
      .prepare(
          "UPDATE cells SET state = 'claimed', owner_host = ?, owner_pid = ?, owner_started = ?, heartbeat = ?, "
          "times_claimed = times_claimed + 1 WHERE id = ?")
      .bind(owner_.host, owner_.pid, owner_.started, unix_seconds(), chosen->id)
      .run();
  transaction.commit();
  return *chosen;
}

std::string Store::holders() const {
  const std::string here = this_process().host;
  std::vector<std::string> parts;
  for (const auto& [owner, cells] : holders_) {
    const std::string machine =
        owner.host == here ? std::string("this machine") : owner.host.substr(owner.host.rfind(' ') + 1);
    parts.push_back(fmt::format("process {} on {} ({} {})", owner.pid, machine, cells, cells == 1 ? "cell" : "cells"));
  }
  return parts.empty() ? "another process" : join(parts);
}

void Store::release(const Cell& cell) {
  database_
      .prepare(
          "UPDATE cells SET state = 'open' WHERE id = ? AND state = 'claimed' AND owner_host = ? AND owner_pid = ? "
          "AND owner_started = ?")
      .bind(cell.id, owner_.host, owner_.pid, owner_.started)
      .run();
}

void Store::beat(const Cell& cell) {
  database_
      .prepare(
          "UPDATE cells SET heartbeat = ? WHERE id = ? AND state = 'claimed' AND owner_host = ? AND owner_pid = ? "
          "AND owner_started = ?")
      .bind(unix_seconds(), cell.id, owner_.host, owner_.pid, owner_.started)
      .run();
}

std::vector<Cell> Store::cells() {
  std::vector<Cell> found;
  const std::string sql = fmt::format("SELECT {} FROM cells ORDER BY id", cell_columns);
  for (Statement row = database_.prepare(sql.c_str()); row.step();) found.push_back(read_cell(row));
  return found;
}

}  // namespace priorfit::internal
