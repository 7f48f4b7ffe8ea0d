// The seam between the class server and its database: everything above speaks plain SQL through
// these calls, in the dialect that SQLite and PostgreSQL share (`?` stands for a value).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ridge::leaderboard {

using Value = std::variant<std::nullptr_t, int64_t, double, std::string>;

template <class T>
Value value_of(const std::optional<T>& value) {
  return value ? Value(*value) : Value(nullptr);
}

// Columns count from 0. A null reads as 0 or "".
class Row {
 public:
  explicit Row(std::vector<std::optional<std::string>> cells) : cells_(std::move(cells)) {}
  bool is_null(size_t column) const { return !cells_.at(column); }
  const std::string& text(size_t column) const;
  int64_t number(size_t column) const;
  double real(size_t column) const;
  std::optional<double> real_if_any(size_t column) const;
  std::optional<int64_t> number_if_any(size_t column) const;

 private:
  std::vector<std::optional<std::string>> cells_;
};

using Rows = std::vector<Row>;
using Values = std::vector<Value>;

class Database {
 public:
  virtual ~Database() = default;
  // Throws report::StoreError, whose text says what to do.
  virtual Rows run(std::string_view sql, const Values& values = {}) = 0;
  virtual void begin() = 0;  // takes the write lock at once
  // Others see the change when it returns. It outlives a power cut once wait_for_disk() has
  // returned.
  virtual void commit() = 0;
  virtual void roll_back() noexcept = 0;
  // From any thread: what was committed before the call is on the disk when it returns.
  virtual void wait_for_disk() = 0;
  // From any thread, now and then: moves the write-ahead log into the file, beside readers and
  // writers.
  virtual void tidy() = 0;
  // A connection for another thread, to read only. None for a database in memory.
  virtual std::unique_ptr<Database> reader() = 0;
  virtual void back_up(const std::filesystem::path& file) = 0;  // while others write
};

// Undone unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.begin(); }
  ~Transaction() {
    if (!done_) database_.roll_back();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    database_.commit();
    done_ = true;
  }

 private:
  Database& database_;
  bool done_ = false;
};

// Opens the file, makes it when there is none, and brings its tables up to date. Throws
// report::StoreError.
std::unique_ptr<Database> open_sqlite(const std::filesystem::path& file);
// For looking only.
std::unique_ptr<Database> open_sqlite_to_read(const std::filesystem::path& file);

// The first row's first cell, as a number; none when there is no row.
std::optional<int64_t> number_from(Database& database, std::string_view sql, const Values& values);

}  // namespace ridge::leaderboard
