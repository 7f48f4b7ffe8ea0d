#include "harness/report/store/store_schema.h"

#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <thread>

namespace ridge::report {
namespace {

// Step i upgrades from version i to version i + 1. A released step is never changed.
const char* const kSteps[] = {
    R"sql(
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    rung TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    engine TEXT NOT NULL,
    device TEXT NOT NULL,
    origin TEXT NOT NULL,
    source TEXT NOT NULL,
    source_sha256 TEXT NOT NULL,
    percent REAL,
    figures TEXT NOT NULL,
    seconds REAL NOT NULL,
    seed TEXT NOT NULL
  );
  CREATE INDEX runs_by_rung ON runs (rung, id);
  CREATE TABLE hints (rung TEXT NOT NULL, number INTEGER NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (rung, number));
  CREATE TABLE skeletons (rung TEXT PRIMARY KEY, source TEXT NOT NULL);
)sql",
    // The index contains all columns that the course map reads, so that SQLite need not read the
    // sources.
    R"sql(
  ALTER TABLE runs ADD COLUMN conditions TEXT NOT NULL DEFAULT '{}';
  CREATE INDEX runs_by_outcome ON runs (origin, id, rung, verdict, engine, device, percent);
)sql",
    R"sql(
  CREATE TABLE tunings (
    id INTEGER PRIMARY KEY,
    rung TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    device TEXT NOT NULL,
    file_sha256 TEXT NOT NULL,
    setting TEXT NOT NULL,
    percent REAL NOT NULL,
    tries INTEGER NOT NULL,
    candidates INTEGER NOT NULL
  );
  CREATE INDEX tunings_by_file ON tunings (rung, file_sha256, device);
)sql"};
static_assert(std::size(kSteps) == kStoreVersion);

// SQLite does not wait when it changes the journal mode: when several processes create a store at
// once, all but one get an immediate error.
void start_log(Database& database) {
  using namespace std::chrono_literals;
  for (auto waited = 0ms;; waited += 10ms) {
    try {
      return database.run("PRAGMA journal_mode = WAL");
    } catch (const StoreError& complaint) {
      if (complaint.kind != StoreError::Kind::busy || waited >= 5s) throw;
    }
    std::this_thread::sleep_for(10ms);
  }
}

}  // namespace

int64_t version_of(Database& database) {
  Statement statement = database.prepare("PRAGMA user_version");
  statement.step();
  return statement.number(0);
}

void need_known_version(Database& database) {
  const int64_t version = version_of(database);
  if (version <= kStoreVersion) return;
  throw StoreError(
      fmt::format("{} was written by a newer ridge (its tables are version {}, this ridge knows {}); "
                  "update this clone with `git pull` and run ./ridge again, and nothing in it is "
                  "touched until then",
                  database.file().string(), version, kStoreVersion),
      StoreError::Kind::newer);
}

void bring_up_to_date(Database& database) {
  need_known_version(database);
  if (version_of(database) == kStoreVersion) return;
  start_log(database);
  Transaction transaction(database);
  // Another process may have upgraded the file: check again now that we have the write lock.
  need_known_version(database);
  for (int64_t version = version_of(database); version < kStoreVersion; ++version)
    database.run(kSteps[version]);
  database.run(fmt::format("PRAGMA user_version = {}", kStoreVersion));
  transaction.commit();
}

}  // namespace ridge::report
