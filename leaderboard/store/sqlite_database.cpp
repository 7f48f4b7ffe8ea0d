// The embedded database: one SQLite file in the class's folder, with a write-ahead log.
//
// SQLite's COMMIT does not wait for the disk (synchronous = NORMAL), because the thread that serves
// requests would wait too. wait_for_disk() flushes the log from another thread, and the server
// sends no acknowledgement before that. SQLite would also copy the log into the file during some
// commit; tidy() does that on its own connection.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>

#include "harness/report/store/database.h"
#include "leaderboard/store/database.h"
#include "leaderboard/store/schema.h"

namespace ridge::leaderboard {

namespace {

constexpr int kBusyMs = 5000;
constexpr size_t kMostStatements = 300;

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(const std::filesystem::path& file, report::Access access)
      : database_(file, kBusyMs, access), in_memory_(file == ":memory:") {}

  Rows run(std::string_view sql, const Values& values) override {
    report::Statement& statement = prepared(sql);
    const Used used(statement);
    for (size_t i = 0; i < values.size(); ++i)
      bind(statement, static_cast<int>(i) + 1, values[i]);
    Rows rows;
    const int columns = statement.columns();
    while (statement.step()) {
      std::vector<std::optional<std::string>> cells(static_cast<size_t>(columns));
      for (int column = 0; column < columns; ++column)
        if (!statement.is_null(column)) cells[static_cast<size_t>(column)] = statement.text(column);
      rows.emplace_back(std::move(cells));
    }
    return rows;
  }

  void begin() override {
    database_.run("BEGIN IMMEDIATE");
    if (const std::string address = moved_to(); !address.empty()) {
      roll_back();
      throw report::StoreError(fmt::format(
          "{} has moved to {}: write that address as \"database\" in class.toml, and start the "
          "class server again",
          name(), address));
    }
  }
  void commit(Durability durability) override {
    database_.run("COMMIT");
    if (durability == Durability::lasting) wait_for_disk();
  }
  void roll_back() noexcept override {
    try {
      database_.run("ROLLBACK");
    } catch (const report::StoreError&) {  // a full disk has rolled back already
    }
  }

  void back_up(const std::filesystem::path& file) override {
    run("VACUUM INTO ?", {file.string()});
  }

  // The log is flushed through a separate descriptor. That is safe because SQLite's locks are on
  // the other files; closing a second descriptor of those would drop them.
  void wait_for_disk() override {
    if (in_memory_) return;
    const std::string log = database_.file().string() + "-wal";
    const int descriptor = open(log.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT) return;  // nothing was written since the last checkpoint
    const bool flushed = descriptor >= 0 && fdatasync(descriptor) == 0;
    const int why = errno;
    if (descriptor >= 0) close(descriptor);
    if (!flushed)
      throw report::StoreError(
          fmt::format("{} could not be flushed: {}; the disk is full or failing", log,
                      std::strerror(why)),
          report::StoreError::Kind::full);
  }

  void tidy() override {
    if (in_memory_) return;
    const std::lock_guard lock(tidying_mutex_);
    if (!tidying_) {
      tidying_.emplace(database_.file(), 0, report::Access::write);
      tidying_->run("PRAGMA synchronous = NORMAL");
    }
    tidying_->run("PRAGMA wal_checkpoint(PASSIVE)");
  }

  void collect_statistics() override {}  // our indexes are enough for SQLite

  std::unique_ptr<Database> reader() override {
    if (in_memory_) return nullptr;
    return std::make_unique<SqliteDatabase>(database_.file(), report::Access::read);
  }

  void run_script(const std::string& sql) override { database_.run(sql); }

  void announce(const std::string&) override {}
  std::unique_ptr<ChangeFeed> feed() override { return nullptr; }

  std::string name() const override { return database_.file().string(); }
  std::string complaint() override {
    const std::string said = run("PRAGMA quick_check", {})[0].text(0);
    return said == "ok" ? ""
                        : fmt::format("{} is damaged: {}. Restore the last backup", name(), said);
  }
  int64_t tables_version() override { return run("PRAGMA user_version", {})[0].number(0); }
  void set_tables_version(int64_t version) override {
    database_.run(fmt::format("PRAGMA user_version = {}", version));
  }
  // SQLite converts a REAL to text with 15 digits; quote() writes as many as it needs.
  std::vector<Column> columns_of(const std::string& table) override {
    std::vector<Column> columns;
    for (const Row& row : run("SELECT name, type FROM pragma_table_info(?) ORDER BY cid", {table}))
      columns.push_back(
          {row.text(0),
           row.text(1) == "REAL"
               ? fmt::format("CASE WHEN {0} IS NOT NULL THEN quote({0}) END", row.text(0))
               : row.text(0)});
    return columns;
  }
  void continue_numbers(const std::string&) override {}  // a table continues after its last row

 private:
  // The address that the class has moved to, for a server that still runs. The mark is the
  // application id in the file's header, which costs nothing to read.
  std::string moved_to() {
    if (run("PRAGMA application_id", {})[0].number(0) != kMovedMark) return "";
    const Rows rows = run("SELECT value FROM settings WHERE name = 'moved_to'", {});
    return rows.empty() ? "" : rows[0].text(0);
  }

  // A statement that is not reset keeps its locks.
  class Used {
   public:
    explicit Used(report::Statement& statement) : statement_(statement) {}
    ~Used() { statement_.reset(); }
    Used(const Used&) = delete;
    Used& operator=(const Used&) = delete;

   private:
    report::Statement& statement_;
  };

  // SQLite takes longer to compile most statements of ours than to run them.
  report::Statement& prepared(std::string_view sql) {
    if (const auto found = statements_.find(sql); found != statements_.end()) return found->second;
    if (statements_.size() >= kMostStatements) statements_.clear();
    return statements_.emplace(sql, database_.prepare(sql)).first->second;
  }

  static void bind(report::Statement& statement, int index, const Value& value) {
    if (const auto* number = std::get_if<int64_t>(&value)) statement.bind(index, *number);
    if (const auto* real = std::get_if<double>(&value)) statement.bind(index, *real);
    if (const auto* text = std::get_if<std::string>(&value))
      statement.bind(index, std::string_view(*text));
  }

  report::Database database_;
  std::map<std::string, report::Statement, std::less<>> statements_;
  bool in_memory_;
  std::mutex tidying_mutex_;
  std::optional<report::Database> tidying_;
};

}  // namespace

std::unique_ptr<Database> open_sqlite(const std::filesystem::path& file) {
  auto database = std::make_unique<SqliteDatabase>(file, report::Access::write);
  need_known_version(*database);
  database->run_script(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA "
      "wal_autocheckpoint = 10000; PRAGMA cache_size = -32000");
  bring_up_to_date(*database, Dialect::sqlite);
  return database;
}

std::unique_ptr<Database> open_sqlite_to_read(const std::filesystem::path& file) {
  const auto opened = [&](report::Access access) {
    auto database = std::make_unique<SqliteDatabase>(file, access);
    need_known_version(*database);
    return database;
  };
  try {
    return opened(report::Access::read);
  } catch (const report::StoreError& error) {
    // Readers also write files next to the database. If nothing can be written, there are no
    // writers either.
    if (error.kind != report::StoreError::Kind::not_writable) throw;
    return opened(report::Access::read_still);
  }
}

}  // namespace ridge::leaderboard
