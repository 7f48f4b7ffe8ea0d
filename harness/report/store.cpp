#include "harness/report/store.h"

#include <fmt/format.h>

#include <chrono>

#include "harness/build/sha256.h"
#include "harness/report/json.h"

namespace ridge::report {
namespace {

constexpr int kBusyMs = 5000;  // a grader writes for milliseconds; five seconds is a stuck disk

const char* const kVersion1 = R"sql(
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
  PRAGMA user_version = 1;
)sql";

int64_t version_of(Database& database) {
  Statement statement = database.prepare("PRAGMA user_version");
  statement.step();
  return statement.number(0);
}

int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

const char* name_of(Origin origin) {
  return origin == Origin::student ? "student" : "solution";
}

}  // namespace

Store Store::open(const std::filesystem::path& root) {
  const std::filesystem::path file = file_under(root);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) throw StoreError(fmt::format("{}: {}", file.parent_path().string(), error.message()));
  Database database(file, kBusyMs);
  const int64_t version = version_of(database);
  if (version > kStoreVersion) {
    throw StoreError(
        fmt::format("{} was written by a newer ridge (its tables are version {}, this ridge knows {}); "
                    "update this clone with "
                    "`git pull` and run ./ridge again, and nothing in it is touched until then",
                    file.string(), version, kStoreVersion));
  }
  if (version < kStoreVersion) {
    database.run("PRAGMA journal_mode = WAL");
    // Another ridge may be making the tables at this moment: look again once the write lock is ours.
    Transaction transaction(database);
    if (version_of(database) < 1) database.run(kVersion1);
    transaction.commit();
  }
  return Store(std::move(database));
}

int64_t Store::record(const Run& run, const grade::Result& result) {
  Transaction transaction(database_);
  Statement insert = database_.prepare(
      "INSERT INTO runs (rung, at_ms, verdict, engine, device, origin, source, source_sha256, percent, "
      "figures, "
      "seconds, seed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, run.rung)
      .bind(2, now_ms())
      .bind(3, to_string(result.verdict))
      .bind(4, engine_name(result.engine));
  insert.bind(5, result.device).bind(6, name_of(run.origin)).bind(7, run.source);
  insert.bind(8, build::sha256(run.source));
  if (result.measured) insert.bind(9, result.measured->percent);  // otherwise NULL
  insert.bind(10, figures_json(result)).bind(11, result.seconds);
  insert.bind(12, fmt::format("{:016x}", run.seed));  // text: SQLite's integers are signed
  insert.step();
  const int64_t row = database_.last_row();
  transaction.commit();
  return row;
}

std::map<std::string, RungRecord> Store::records() {
  std::map<std::string, RungRecord> result;
  Statement rows = database_.prepare(
      "SELECT rung, verdict, ifnull(percent, -1) FROM runs WHERE origin = 'student' ORDER BY id");
  while (rows.step()) {
    RungRecord& record = result[rows.text(0)];
    record.last = grade::verdict_from(rows.text(1));
    record.passed |= grade::passed(*record.last);
    record.gold |= *record.last == grade::Verdict::gold;
    const double percent = rows.real(2);
    if (percent >= 0 && grade::passed(*record.last) && percent > record.best_percent.value_or(-1)) {
      record.best_percent = percent;
    }
    ++record.runs;
  }
  return result;
}

int Store::hints_used(const std::string& rung) {
  Statement row = database_.prepare("SELECT ifnull(max(number), 0) FROM hints WHERE rung = ?");
  row.bind(1, rung).step();
  return static_cast<int>(row.number(0));
}

void Store::record_hint(const std::string& rung, int number) {
  Statement insert = database_.prepare("INSERT OR IGNORE INTO hints (rung, number, at_ms) VALUES (?, ?, ?)");
  insert.bind(1, rung).bind(2, int64_t{number}).bind(3, now_ms()).step();
}

void Store::remember_skeleton(const std::string& rung, const std::string& text) {
  Statement insert = database_.prepare("INSERT OR IGNORE INTO skeletons (rung, source) VALUES (?, ?)");
  insert.bind(1, rung).bind(2, text).step();
}

std::optional<std::string> Store::remembered_skeleton(const std::string& rung) {
  Statement row = database_.prepare("SELECT source FROM skeletons WHERE rung = ?");
  row.bind(1, rung);
  if (!row.step()) return std::nullopt;
  return row.text(0);
}

}  // namespace ridge::report
