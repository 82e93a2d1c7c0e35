// As much of SQLite as the experiment store needs, with errors as exceptions.
//
//     Database database("experiment.sqlite", Database::Mode::create);
//     Transaction transaction(database);
//     database.prepare("INSERT INTO meta VALUES (?, ?)").bind("a", 1).run();
//     transaction.commit();
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace priorfit::internal {

class Database;

class Statement {
 public:
  Statement(Database& database, const char* sql);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;

  /// Binds all parameters, first to last.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    int place = 0;
    (bind_one(++place, values), ...);
    return *this;
  }
  /// To the next row; false after the last.
  bool step();
  void run() {
    while (step()) {
    }
  }

  std::int64_t integer(int column) const;
  double real(int column) const;  // NaN for NULL
  std::optional<double> optional_real(int column) const;
  std::string text(int column) const;
  int columns() const;
  std::string bytes(int column) const;  // kind and value: different for values that differ in anything

 private:
  void bind_one(int place, std::int64_t value);
  void bind_one(int place, double value);  // what is not finite becomes NULL
  void bind_one(int place, const std::optional<double>& value);
  void bind_one(int place, const std::string& value);

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// A rollback journal, not WAL: writes are rare (one per cell), the folder at rest holds one file, and it works
/// wherever file locks do. synchronous=FULL: what is committed survives a power cut.
class Database {
 public:
  enum class Mode { create, existing };

  Database(const std::filesystem::path& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Statement prepare(const char* sql) { return Statement(*this, sql); }
  void execute(const char* sql);
  std::int64_t changed_rows() const;  // by the last statement

  /// Error(data) for a damaged file, Error(io) for everything else outside of our hands.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  friend class Snapshot;
  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
};

/// What is read while it lives belongs together: what others commit meanwhile is seen after it. Within a transaction,
/// or another snapshot, that is so already.
class Snapshot {
 public:
  explicit Snapshot(Database& database);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Database& database_;
  bool begun_ = false;
};

/// BEGIN IMMEDIATE: takes the write lock at once, so that what is read inside stays true until the commit. Rolled back
/// unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace priorfit::internal
