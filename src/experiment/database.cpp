#include "experiment/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <limits>
#include <utility>

#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

constexpr int busy_milliseconds = 60'000;

/// SQLite notes it before it asks.
int largest_request() {
  int now = 0, most = 0;
  sqlite3_status(SQLITE_STATUS_MALLOC_SIZE, &now, &most, 0);
  return most;
}

}  // namespace

Database::Database(const std::filesystem::path& path, Mode mode) : path_(path) {
  const int flags = SQLITE_OPEN_READWRITE | (mode == Mode::create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    const std::string reason = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
    sqlite3_close(std::exchange(handle_, nullptr));
    throw Error(ErrorKind::io, fmt::format("cannot open '{}': {}", path.string(), reason));
  }
  try {
    sqlite3_extended_result_codes(handle_, 1);
    sqlite3_busy_timeout(handle_, busy_milliseconds);
    execute("PRAGMA journal_mode = DELETE");
    execute("PRAGMA synchronous = FULL");
    execute("PRAGMA foreign_keys = ON");
  } catch (...) {
    sqlite3_close(std::exchange(handle_, nullptr));
    throw;
  }
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail(int code) const {
  const int primary = code & 0xff;
  // SQLITE_ERROR and SQLITE_CONSTRAINT: our statements fit our tables, so these are no longer ours ("no such column",
  // or a trigger that somebody added).
  const bool damaged =
      primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || primary == SQLITE_ERROR || primary == SQLITE_CONSTRAINT;
  const bool ours = primary == SQLITE_MISUSE;
  const bool memory = primary == SQLITE_NOMEM;
  const ErrorKind kind = damaged  ? ErrorKind::data
                         : memory ? ErrorKind::resource
                         : ours   ? ErrorKind::internal
                                  : ErrorKind::io;
  std::string reason = sqlite3_errmsg(handle_);
  // SQLite calls it readonly, or an error of the disk.
  std::error_code unknown;
  const bool missing = !std::filesystem::exists(path_, unknown) && !unknown;
  const bool gone = kind == ErrorKind::io && (code == SQLITE_READONLY_DBMOVED || missing);
  if (gone) reason = "it is gone: the file or its folder was removed or renamed while it was in use";
  if (memory) reason += fmt::format("; up to {} bytes were asked for at once", largest_request());
  throw Error(kind, fmt::format("experiment database '{}': {}", path_.string(), reason));
}

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::changed_rows() const { return sqlite3_changes64(handle_); }

Statement::Statement(Database& database, const char* sql) : database_(database) {
  const int code = sqlite3_prepare_v2(database.handle_, sql, -1, &statement_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)) {}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  sqlite3_reset(statement_);
  return false;
}

void Statement::bind_one(int place, std::int64_t value) { sqlite3_bind_int64(statement_, place, value); }

void Statement::bind_one(int place, double value) {
  if (std::isfinite(value)) {
    sqlite3_bind_double(statement_, place, value);
  } else {
    sqlite3_bind_null(statement_, place);
  }
}

void Statement::bind_one(int place, const std::optional<double>& value) {
  bind_one(place, value.value_or(std::numeric_limits<double>::quiet_NaN()));
}

void Statement::bind_one(int place, const std::string& value) {
  sqlite3_bind_text64(statement_, place, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

double Statement::real(int column) const {
  return optional_real(column).value_or(std::numeric_limits<double>::quiet_NaN());
}

std::optional<double> Statement::optional_real(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_double(statement_, column);
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

int Statement::columns() const { return sqlite3_column_count(statement_); }

std::string Statement::bytes(int column) const {
  const int type = sqlite3_column_type(statement_, column);
  std::string bytes(1, static_cast<char>(type));
  const auto add = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  switch (type) {
    case SQLITE_INTEGER: add(integer(column)); break;
    case SQLITE_FLOAT: add(sqlite3_column_double(statement_, column)); break;
    case SQLITE_NULL: break;
    default: bytes += text(column) + '\0';
  }
  return bytes;
}

Snapshot::Snapshot(Database& database) : database_(database), begun_(sqlite3_get_autocommit(database.handle_) != 0) {
  if (begun_) database_.execute("BEGIN");
}

Snapshot::~Snapshot() {
  if (!begun_) return;
  try {
    database_.execute("ROLLBACK");  // nothing was written
  } catch (const Error&) {
  }
}

Transaction::Transaction(Database& database) : database_(database) { database_.execute("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");  // fails when SQLite has rolled back by itself, as it does on a full disk
  } catch (const Error&) {
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace priorfit::internal
