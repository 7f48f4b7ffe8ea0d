// The interface between the class server and its database: the code above uses plain SQL through
// these calls, in the common dialect of SQLite and PostgreSQL (`?` represents a value).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "leaderboard/store/change_feed.h"

namespace ridge::leaderboard {

using Value = std::variant<std::nullptr_t, int64_t, double, std::string>;

template <class T>
Value value_of(const std::optional<T>& value) {
  return value ? Value(*value) : Value(nullptr);
}

// Columns count from 0. A null is read as 0 or "".
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

// What may be lost of a committed change in a power failure, or in a crash of PostgreSQL.
enum class Durability {
  lasting,             // nothing, once commit() has returned
  lasting_after_wait,  // nothing, once wait_for_disk() has returned; commit() does not wait
  may_be_lost,         // all of it: a lease, whose loss costs an attempt
};

class Database {
 public:
  virtual ~Database() = default;
  // Throws report::StoreError, whose text says what to do.
  virtual Rows run(std::string_view sql, const Values& values = {}) = 0;
  virtual void run_script(const std::string& sql) = 0;  // several statements, without values

  // Waits until the current writer ends, in this process or another: a database has one writer at a
  // time.
  virtual void begin() = 0;
  // Other connections see the change when it returns. Throws UncertainError when the connection
  // ended before the database had answered.
  virtual void commit(Durability durability) = 0;
  virtual void roll_back() noexcept = 0;
  // From any thread: everything committed before the call is on disk when it returns. Throws when
  // that is not certain.
  virtual void wait_for_disk() = 0;
  // From any thread, periodically: moves the write-ahead log into the file, concurrently with
  // readers and writers.
  virtual void tidy() = 0;

  // Collects the statistics from which the database chooses how to run a query. Without them
  // PostgreSQL reads whole tables for one student: it collects them itself only a minute after many
  // rows were written, as by a move.
  virtual void collect_statistics() = 0;

  // A read-only connection for another thread; nullptr for a database in memory.
  virtual std::unique_ptr<Database> reader() = 0;
  // To SQLite; works while others write.
  virtual void back_up(const std::filesystem::path& file) = 0;

  // Only within a transaction: the text is sent to the feeds of all servers on this database at the
  // commit. At most kMostAnnouncedBytes.
  virtual void announce(const std::string& text) = 0;
  // Returns nullptr when no other server can use this database.
  virtual std::unique_ptr<ChangeFeed> feed() = 0;

  virtual std::string name() const = 0;  // for messages; without a password
  virtual std::string complaint() = 0;   // "" when it is intact
  virtual int64_t tables_version() = 0;  // 0: it has no tables
  virtual void set_tables_version(int64_t version) = 0;
  // Each column of a table: its name, and an expression whose text is its exact value.
  struct Column {
    std::string name, exact;
  };
  virtual std::vector<Column> columns_of(const std::string& table) = 0;
  // To be called after inserting rows with their numbers: the table's next number will be higher.
  virtual void continue_numbers(const std::string& table) = 0;
};

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.begin(); }
  ~Transaction() {
    if (!done_) database_.roll_back();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit(Durability durability = Durability::lasting) {
    database_.commit(durability);
    done_ = true;
  }

 private:
  Database& database_;
  bool done_ = false;
};

// Opens a file or an address postgresql://, creates missing tables and upgrades older ones. Throws
// report::StoreError.
std::unique_ptr<Database> open_database(const std::string& where);
std::unique_ptr<Database> open_sqlite(const std::filesystem::path& file);
std::unique_ptr<Database> open_postgresql(const std::string& url);
// Opens read-only.
std::unique_ptr<Database> open_database_to_read(const std::string& where);
std::unique_ptr<Database> open_sqlite_to_read(const std::filesystem::path& file);
std::unique_ptr<Database> open_postgresql_to_read(const std::string& url);
bool is_postgresql(const std::string& where);

// The first row's first cell as a number; no value without a row.
std::optional<int64_t> number_from(Database& database, std::string_view sql, const Values& values);

}  // namespace ridge::leaderboard
