// The PostgreSQL database of a class, which several servers can use at once.
//
// The changes of all servers are serialised, as in SQLite: begin() takes a lock of the database
// (pg_advisory_xact_lock), and the end of the transaction frees it. Every rule that reads before it
// writes (one running job per student, one grade per attempt) then holds without further locks, and
// the numbers of the event log increase in the order of the commits. Reading takes no lock.
//
// The thread that serves requests does not wait for the disk (synchronous_commit = off).
// wait_for_disk() flushes the write-ahead log from another thread, by a connection of its own
// (postgresql_flush.h), and the server sends no acknowledgement before that.
#include <fmt/format.h>

#include "leaderboard/store/copy_database.h"
#include "leaderboard/store/postgresql_connection.h"
#include "leaderboard/store/postgresql_flush.h"
#include "leaderboard/store/postgresql_reconnecting.h"
#include "leaderboard/store/schema.h"

namespace ridge::leaderboard {

namespace {

constexpr const char* kWriting =
    "SET lock_timeout = '5s'; SET statement_timeout = '60s'; "
    "SET idle_in_transaction_session_timeout = '10s'";
constexpr const char* kReading = "SET default_transaction_read_only = on";
constexpr const char* kListening = "LISTEN ridge_class";
constexpr const char* kBegin = "BEGIN; SELECT pg_advisory_xact_lock(1919509607)";  // "ridg"

class PostgresqlFeed final : public ChangeFeed {
 public:
  // Connects at once: it receives what is announced from now on.
  explicit PostgresqlFeed(const std::string& url) : connection_(url, kListening) {
    connection_.get();
  }

  Received take() override {
    try {
      const bool was_connected = connection_.connected();
      Received received{connection_.get().take_notifications(), !was_connected};
      return received;
    } catch (const report::StoreError&) {
      connection_.drop();
      return {};
    }
  }

 private:
  ReconnectingPostgresql connection_;
};

class PostgresqlDatabase final : public Database {
  // Opens a lost connection again and repeats `work` on the new one where that is safe, because
  // none of it has been executed before.
  template <class Work>
  auto lost_once(bool may_repeat, const Work& work) {
    try {
      return work(connection_.get());
    } catch (const ConnectionLost&) {
      connection_.drop();
      if (!may_repeat) throw;
    }
    return work(connection_.get());
  }

 public:
  PostgresqlDatabase(const std::string& url, const char* settings)
      : connection_(url, settings), flush_(url) {}

  Rows run(std::string_view sql, const Values& values) override {
    if (in_transaction_ && !connection_.connected())
      throw ConnectionLost(fmt::format("the connection to {} ended; try again", name()));
    const bool may_repeat = !in_transaction_ && sql.starts_with("SELECT");
    return lost_once(may_repeat, [&](PostgresqlConnection& to) { return to.run(sql, values); });
  }

  void run_script(const std::string& sql) override {
    lost_once(false, [&](PostgresqlConnection& to) { to.run_script(sql); });
  }

  void begin() override {
    try {
      lost_once(true, [](PostgresqlConnection& to) { to.run_script(kBegin); });
    } catch (const ConnectionLost&) {
      throw;
    } catch (const report::StoreError&) {  // the lock timed out after BEGIN
      end_quietly();
      throw;
    }
    in_transaction_ = true;
  }

  void commit(Durability durability) override {
    in_transaction_ = false;
    try {
      connection_.get().run_script(durability == Durability::lasting
                                       ? "COMMIT"
                                       : "SET LOCAL synchronous_commit = off; COMMIT");
      if (durability == Durability::lasting_after_wait)
        flush_.committed(connection_.get().session());
    } catch (const ConnectionLost& error) {
      connection_.drop();
      throw UncertainError(error.what());
    }
  }

  void roll_back() noexcept override {
    in_transaction_ = false;
    end_quietly();
  }

  void wait_for_disk() override { flush_.wait(); }
  void tidy() override {}  // PostgreSQL does it itself

  void collect_statistics() override {
    try {
      run_script(fmt::format("ANALYZE {}", fmt::join(table_names(), ", ")));
    } catch (const ConnectionLost&) {
      throw;
    } catch (const report::StoreError&) {  // another server is about it
    }
  }

  std::unique_ptr<Database> reader() override {
    return std::make_unique<PostgresqlDatabase>(connection_.url(), kReading);
  }

  void back_up(const std::filesystem::path& file) override {
    const auto target = open_sqlite(file);
    PostgresqlDatabase source(connection_.url(), kReading);
    source.run_script("BEGIN ISOLATION LEVEL REPEATABLE READ");
    copy_database(source, *target);
  }

  void announce(const std::string& text) override {
    run("SELECT pg_notify('ridge_class', ?)", {text});
  }
  std::unique_ptr<ChangeFeed> feed() override {
    return std::make_unique<PostgresqlFeed>(connection_.url());
  }

  std::string name() const override { return without_password(connection_.url()); }

  std::string complaint() override {
    const int64_t version = run("SHOW server_version_num", {}).at(0).number(0);
    return version >= kOldestServer
               ? ""
               : fmt::format("{} is PostgreSQL {}; version 13 or newer is needed", name(),
                             version / 10'000);
  }

  int64_t tables_version() override {
    if (run("SELECT to_regclass('ridge_tables')", {}).at(0).is_null(0)) return 0;
    return number_from(*this, "SELECT version FROM ridge_tables", {}).value_or(0);
  }

  void set_tables_version(int64_t version) override {
    run_script(
        fmt::format("CREATE TABLE IF NOT EXISTS ridge_tables (version BIGINT NOT NULL); "
                    "DELETE FROM ridge_tables; INSERT INTO ridge_tables VALUES ({})",
                    version));
  }

  std::vector<Column> columns_of(const std::string& table) override {
    std::vector<Column> columns;
    for (const Row& row : run("SELECT attname FROM pg_attribute WHERE attrelid = "
                              "CAST(? AS regclass) AND attnum > 0 AND NOT attisdropped ORDER BY "
                              "attnum",
                              {table}))
      columns.push_back({row.text(0), row.text(0)});
    return columns;
  }

  void continue_numbers(const std::string& table) override {
    run(fmt::format(
            "SELECT setval(pg_get_serial_sequence('{0}', 'id'), (SELECT coalesce(max(id), 0) "
            "+ 1 FROM {0}), false)",
            table),
        {});
  }

 private:
  static constexpr int64_t kOldestServer = 130'000;

  void end_quietly() noexcept {
    if (!connection_.connected()) return;
    try {
      connection_.get().run_script("ROLLBACK");
    } catch (const report::StoreError&) {
      connection_.drop();
    }
  }

  ReconnectingPostgresql connection_;
  PostgresqlFlush flush_;
  bool in_transaction_ = false;
};

}  // namespace

std::unique_ptr<Database> open_postgresql(const std::string& url) {
  auto database = std::make_unique<PostgresqlDatabase>(url, kWriting);
  if (const std::string complaint = database->complaint(); !complaint.empty())
    throw report::StoreError(complaint);
  need_known_version(*database);
  bring_up_to_date(*database, Dialect::postgresql);
  return database;
}

std::unique_ptr<Database> open_postgresql_to_read(const std::string& url) {
  auto database = std::make_unique<PostgresqlDatabase>(url, kReading);
  need_known_version(*database);
  return database;
}

}  // namespace ridge::leaderboard
