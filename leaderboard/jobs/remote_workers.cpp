// Stores remote workers in the database.
#include "leaderboard/jobs/remote_workers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "leaderboard/access/tokens.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

constexpr int64_t kWorkerTokenLivesMs = 365 * kDayMs;
constexpr int64_t kNoteEveryMs = 10'000;  // how often the time of a worker's last request is stored
constexpr size_t kMostDevices = 64;

// The prefix of a machine's processes in the log and in jobs.worker: "remote 3 (lab-pc)/gpu-0".
std::string prefix_of(int64_t id, const std::string& name) {
  return fmt::format("remote {} ({})/", id, name);
}

}  // namespace

NewWorker add_worker(Database& database, int64_t class_id, const std::string& name,
                     int64_t now_ms) {
  const IssuedToken token =
      issue_token(database, {TokenKind::worker, class_id, {}, {}, now_ms, kWorkerTokenLivesMs, {}});
  const int64_t id =
      database
          .run(
              "INSERT INTO workers (class_id, token_id, name, state, created_ms) VALUES (?, ?, ?, "
              "?, ?) RETURNING id",
              {class_id, token.id, name, std::string(kActive), now_ms})[0]
          .number(0);
  return {id, token.secret};
}

std::optional<RemoteWorker> find_worker(Database& database, int64_t class_id, int64_t worker_id) {
  const Rows rows = database.run(
      "SELECT id, class_id, token_id, name, state FROM workers WHERE id = ? AND class_id = ?",
      {worker_id, class_id});
  if (rows.empty()) return std::nullopt;
  return RemoteWorker{rows[0].number(0), rows[0].number(1), rows[0].number(2), rows[0].text(3),
                      rows[0].text(4)};
}

void set_worker_state(Database& database, const RemoteWorker& worker, const std::string& state,
                      int64_t now_ms, std::vector<Change>& changes) {
  database.run("UPDATE workers SET state = ? WHERE id = ?", {state, worker.id});
  if (state != kBanned) return;
  revoke_token(database, worker.token_id, now_ms);
  recover(database, prefix_of(worker.id, worker.name), now_ms, changes);
}

bool greet_worker(Database& database, int64_t token_id, Grader& grader, int64_t now_ms) {
  const Rows rows = database.run(
      "SELECT id, name, state, devices, seen_ms FROM workers WHERE token_id = ?", {token_id});
  if (rows.empty()) return true;  // a local worker of the server
  const Row& row = rows[0];
  json devices = json::parse(row.text(3), nullptr, false);
  const std::string device = grader.device.empty() ? "virtual GPU" : grader.device;
  const bool known = devices.value(grader.name, "") == device;
  if (!known && devices.size() < kMostDevices) devices[grader.name] = device;
  if (!known || now_ms - row.number(4) >= kNoteEveryMs)
    database.run("UPDATE workers SET seen_ms = ?, devices = ? WHERE id = ?",
                 {now_ms, devices.dump(), row.number(0)});
  grader.name = prefix_of(row.number(0), row.text(1)) + grader.name;
  return row.text(2) == kActive;
}

json workers_json(Database& database, int64_t class_id) {
  json list = json::array();
  for (
      const Row& row : database.run(
          "SELECT id, name, state, devices, created_ms, seen_ms FROM workers WHERE class_id = ? ORDER BY id",
          {class_id})) {
    const std::string prefix = prefix_of(row.number(0), row.text(1));
    const Row counts = database.run(
        "SELECT count(*) FILTER (WHERE state = 'leased'), count(*) FILTER (WHERE state = 'done') FROM jobs WHERE "
        "substr(worker, 1, ?) = ?",
        {static_cast<int64_t>(prefix.size()), prefix})[0];
    list.push_back({{"id", row.number(0)},
                    {"name", row.text(1)},
                    {"state", row.text(2)},
                    {"devices", json::parse(row.text(3), nullptr, false)},
                    {"created_ms", row.number(4)},
                    {"seen_ms", row.is_null(5) ? json(nullptr) : json(row.number(5))},
                    {"running", counts.number(0)},
                    {"graded", counts.number(1)}});
  }
  return list;
}

}  // namespace ridge::leaderboard
