// The embedded database: one SQLite file in the class's folder, with a write-ahead log.
#include <fmt/format.h>

#include "harness/report/store/database.h"
#include "leaderboard/store/database.h"
#include "leaderboard/store/schema.h"

namespace ridge::leaderboard {

namespace {

constexpr int kBusyMs = 5000;

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(const std::filesystem::path& file, report::Access access)
      : database_(file, kBusyMs, access) {}

  Rows run(std::string_view sql, const Values& values) override {
    report::Statement statement = database_.prepare(sql);
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

  void begin() override { database_.run("BEGIN IMMEDIATE"); }
  void commit() override { database_.run("COMMIT"); }
  void roll_back() noexcept override {
    try {
      database_.run("ROLLBACK");
    } catch (const report::StoreError&) {  // a full disk has rolled back already
    }
  }

  void back_up(const std::filesystem::path& file) override {
    run("VACUUM INTO ?", {file.string()});
  }

  // Several statements, without values.
  void run_script(const std::string& sql) { database_.run(sql); }

 private:
  static void bind(report::Statement& statement, int index, const Value& value) {
    if (const auto* number = std::get_if<int64_t>(&value)) statement.bind(index, *number);
    if (const auto* real = std::get_if<double>(&value)) statement.bind(index, *real);
    if (const auto* text = std::get_if<std::string>(&value))
      statement.bind(index, std::string_view(*text));
  }

  report::Database database_;
};

int64_t version_of(Database& database) {
  return database.run("PRAGMA user_version")[0].number(0);
}

void need_known_version(Database& database, const std::filesystem::path& file) {
  const int64_t version = version_of(database);
  if (version <= schema_version()) return;
  throw report::StoreError(
      fmt::format(
          "{} was written by a newer class server (its tables are version {}, this one knows {}); update "
          "this clone with `git pull` and start it again. Nothing was changed",
          file.string(), version, schema_version()),
      report::StoreError::Kind::newer);
}

}  // namespace

std::unique_ptr<Database> open_sqlite(const std::filesystem::path& file) {
  auto database = std::make_unique<SqliteDatabase>(file, report::Access::write);
  need_known_version(*database, file);
  // FULL: what was acknowledged outlives a power cut too.
  database->run_script(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  if (version_of(*database) < schema_version()) {
    Transaction transaction(*database);
    for (int64_t version = version_of(*database); version < schema_version(); ++version)
      database->run_script(schema_step(version));
    database->run_script(fmt::format("PRAGMA user_version = {}", schema_version()));
    transaction.commit();
  }
  return database;
}

std::unique_ptr<Database> open_sqlite_to_read(const std::filesystem::path& file) {
  auto database = std::make_unique<SqliteDatabase>(file, report::Access::read);
  need_known_version(*database, file);
  return database;
}

}  // namespace ridge::leaderboard
