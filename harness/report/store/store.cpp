#include "harness/report/store/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "harness/build/sha256.h"
#include "harness/build/shared_folder.h"
#include "harness/report/store/json.h"
#include "harness/report/store/store_schema.h"

namespace ridge::report {
namespace {

int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

StoredRun run_in(const Statement& row) {
  StoredRun run;
  run.number = row.number(0);
  run.rung = row.text(1);
  run.at_ms = row.number(2);
  run.verdict = grade::verdict_from(row.text(3));
  run.engine =
      row.text(4) == engine_name(grade::Engine::gpu) ? grade::Engine::gpu : grade::Engine::virtual_gpu;
  run.device = row.text(5);
  run.origin = row.text(6) == name_of(Origin::solution) ? Origin::solution : Origin::student;
  run.source = row.text(7);
  run.source_sha256 = row.text(8);
  if (!row.is_null(9)) run.percent = row.real(9);
  run.figures = row.text(10);
  run.seconds = row.real(11);
  run.seed = std::strtoull(row.text(12).c_str(), nullptr, 16);
  run.conditions = row.text(13);
  return run;
}

// SQLite creates files next to the store and sets their permission bits a moment later. For another
// user who opens the store in between it is not writable.
constexpr int kAttempts = 20;
bool may_write(const std::filesystem::path& file) {
  for (const char* suffix : {"", "-wal", "-shm"}) {
    const std::string name = file.string() + suffix;
    if (access(name.c_str(), F_OK) == 0 && access(name.c_str(), W_OK) != 0) return false;
  }
  return access(file.parent_path().c_str(), W_OK) == 0;
}

}  // namespace

const char* name_of(Origin origin) {
  return origin == Origin::student ? "student" : "solution";
}

Store Store::open(const std::filesystem::path& root, int busy_ms) {
  const std::filesystem::path file = file_under(root);
  std::error_code error;
  build::make_folders(file.parent_path(), error);
  if (error) {
    throw StoreError(fmt::format("{}: {}; the folder must be writable for you", file.parent_path().string(),
                                 error.message()),
                     StoreError::Kind::not_writable);
  }
  build::make_file(file);
  for (int attempt = 1;; ++attempt) {
    try {
      Database database(file, busy_ms);
      bring_up_to_date(database);
      return Store(std::move(database), kStoreVersion);
    } catch (const StoreError& complaint) {
      if (complaint.kind != StoreError::Kind::not_writable || attempt == kAttempts) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (!may_write(file)) throw;
    }
  }
}

std::optional<Store> Store::open_to_read(const std::filesystem::path& root, int busy_ms) {
  const std::filesystem::path file = file_under(root);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  const auto opened = [&](Access access) {
    Database database(file, busy_ms, access);
    need_known_version(database);
    const int64_t version = version_of(database);
    if (version == 0) throw StoreError(fmt::format("{} holds no runs", file.string()));
    return Store(std::move(database), version);
  };
  const auto may_be_read = [](const StoreError& complaint) {
    return complaint.kind == StoreError::Kind::not_writable || complaint.kind == StoreError::Kind::full;
  };
  try {
    return open(root, busy_ms);
  } catch (const StoreError& complaint) {
    if (!may_be_read(complaint)) throw;
  }
  try {
    return opened(Access::read);
  } catch (const StoreError& complaint) {
    if (!may_be_read(complaint)) throw;
  }
  // SQLite needs to create a lock file. If nobody can create it, there are no writers, and the last
  // writer has left no log.
  const auto log_bytes = std::filesystem::file_size(file.string() + "-wal", error);
  if (!error && log_bytes > 0) return opened(Access::read);
  return opened(Access::read_still);
}

int64_t Store::record(const Run& run, const grade::Result& result) {
  Transaction transaction(database_);
  Statement insert = database_.prepare(
      "INSERT INTO runs (rung, at_ms, verdict, engine, device, origin, source, source_sha256, percent, "
      "figures, seconds, seed, conditions) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, run.rung)
      .bind(2, now_ms())
      .bind(3, to_string(result.verdict))
      .bind(4, engine_name(result.engine));
  insert.bind(5, result.device).bind(6, name_of(run.origin)).bind(7, run.source);
  insert.bind(8, build::sha256(run.source));
  if (result.measured) insert.bind(9, result.measured->percent);  // otherwise NULL
  insert.bind(10, figures_json(result)).bind(11, result.seconds);
  insert.bind(12, fmt::format("{:016x}", run.seed));  // as text: SQLite's integers are signed
  insert.bind(13, conditions_json(result));
  insert.step();
  const int64_t row = database_.last_row();
  transaction.commit();
  return row;
}

std::map<std::string, RungRecord> Store::records() {
  std::map<std::string, RungRecord> result;
  Statement rows = database_.prepare(
      "SELECT rung, verdict, engine, device, percent FROM runs WHERE origin = 'student' ORDER BY id");
  while (rows.step()) {
    const grade::Verdict verdict = grade::verdict_from(rows.text(1));
    if (!grade::graded(verdict)) continue;
    RungRecord& record = result[rows.text(0)];
    record.last = verdict;
    ++record.runs;
    if (!grade::passed(verdict)) continue;
    record.passed = true;
    record.gold |= verdict == grade::Verdict::gold;
    record.passed_on_gpu |= rows.text(2) == engine_name(grade::Engine::gpu);
    if (rows.is_null(4)) continue;
    const double percent = rows.real(4);
    if (!record.best_percent || percent > *record.best_percent) record.best_percent = percent;
    const auto [best, first] = record.best_by_device.try_emplace(rows.text(3), percent);
    if (!first) best->second = std::max(best->second, percent);
  }
  return result;
}

std::string Store::selection() const {
  return fmt::format(
      "SELECT id, rung, at_ms, verdict, engine, device, origin, source, source_sha256, percent, "
      "figures, seconds, seed, {} FROM runs ",
      version_ < 2 ? "'{}'" : "conditions");
}

std::vector<StoredRun> Store::runs(const RunFilter& filter) {
  // GLOB, because LIKE treats _ as a wildcard; no rung has *, ? or [ in its name.
  Statement rows =
      database_.prepare(selection() +
                        "WHERE verdict <> 'SKIPPED' AND rung GLOB ?1 AND (?2 OR origin = 'student') "
                        "ORDER BY id DESC LIMIT ?3");
  const std::string pattern = !filter.rung.empty()  ? filter.rung
                              : !filter.lab.empty() ? filter.lab + "/*"
                                                    : "*";
  rows.bind(1, pattern).bind(2, int64_t{filter.solutions}).bind(3, filter.newest > 0 ? filter.newest : -1);
  std::vector<StoredRun> result;
  while (rows.step())
    result.push_back(run_in(rows));
  std::reverse(result.begin(), result.end());
  return result;
}

std::optional<StoredRun> Store::run(int64_t number) {
  Statement row = database_.prepare(selection() + "WHERE id = ?");
  row.bind(1, number);
  if (!row.step()) return std::nullopt;
  return run_in(row);
}

RunNumbers Store::numbers() {
  Statement row = database_.prepare("SELECT ifnull(min(id), 0), ifnull(max(id), 0), count(*) FROM runs");
  row.step();
  return {row.number(0), row.number(1), row.number(2)};
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
