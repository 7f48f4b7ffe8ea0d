// As much of SQLite as the store needs, with errors as exceptions.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace ridge::report {

// What went wrong with the store, for a person.
struct StoreError : std::runtime_error {
  enum class Kind { other, full, not_writable, busy, damaged, newer };
  explicit StoreError(const std::string& what, Kind kind_ = Kind::other)
      : std::runtime_error(what), kind(kind_) {}
  Kind kind;
};

class Statement {
 public:
  Statement(sqlite3* database, const std::filesystem::path& file, std::string_view sql);
  Statement& bind(int index, std::string_view text);  // index from 1
  Statement& bind(int index, int64_t number);
  Statement& bind(int index, double number);
  bool step();                         // true: a row is there
  std::string text(int column) const;  // column from 0
  bool is_null(int column) const;
  int columns() const;
  int64_t number(int column) const;
  double real(int column) const;

 private:
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
  sqlite3* database_;
  std::filesystem::path file_;
};

enum class Access {
  write,      // makes the file when it is not there
  read,       // beside writers
  read_still  // for a folder in which nothing can be written, and so nobody writes: no lock is taken
};

class Database {
 public:
  // Waits up to busy_ms for another writer.
  Database(const std::filesystem::path& file, int busy_ms, Access access = Access::write);
  // How many this process has open. A process that is forked while one is open believes that it holds locks
  // which it does not: what it writes to the same file is lost.
  static int open_now() { return open_now_; }
  void run(std::string_view sql);
  Statement prepare(std::string_view sql) { return Statement(database_.get(), file_, sql); }
  int64_t last_row() const;
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
  static std::atomic<int> open_now_;
};

// Commits when told to; otherwise what was done since is undone.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  void commit();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

 private:
  Database& database_;
  bool done_ = false;
};

}  // namespace ridge::report
