// The part of SQLite that the store needs, with errors as exceptions.
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

// An error of the store, as a message for the user.
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
  bool step();                         // true: there is a row
  void reset() noexcept;               // to be used again, with other values
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
  write,      // creates the file when it is missing
  read,       // concurrently with writers
  read_still  // for a folder without write permission, in which there are no writers: takes no lock
};

class Database {
 public:
  // Waits up to busy_ms for another writer.
  Database(const std::filesystem::path& file, int busy_ms, Access access = Access::write);
  // Number of databases that this process has open. A process that is forked while one is open
  // inherits locks that it does not hold: its writes to the same file are lost.
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

// Commits when commit() is called; otherwise the destructor rolls back.
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
