// Workers on other machines: each has a token that an instructor made, and grades for that
// instructor's class. Several processes of a machine share its token, one per GPU.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "leaderboard/jobs/queue.h"

namespace ridge::leaderboard {

// Active: gets jobs. Draining: finishes what it has. Banned: its token is revoked, and what it had is
// graded again by others.
inline constexpr const char *kActive = "active", *kDraining = "draining", *kBanned = "banned";

struct RemoteWorker {
  int64_t id = 0, class_id = 0, token_id = 0;
  std::string name, state;
};

struct NewWorker {
  int64_t id = 0;
  std::string token;  // told once
};
NewWorker add_worker(Database& database, int64_t class_id, const std::string& name, int64_t now_ms);
std::optional<RemoteWorker> find_worker(Database& database, int64_t class_id, int64_t worker_id);
void set_worker_state(Database& database, const RemoteWorker& worker, const std::string& state,
                      int64_t now_ms, std::vector<Change>& changes);

// Notes that a worker has asked, and what it has. False when it is to get no job. Its name becomes
// that of the instructor's list and its own.
bool greet_worker(Database& database, int64_t token_id, Grader& grader, int64_t now_ms);

// [{"id", "name", "state", "devices", "created_ms", "seen_ms", "running", "graded"}]
nlohmann::json workers_json(Database& database, int64_t class_id);

}  // namespace ridge::leaderboard
