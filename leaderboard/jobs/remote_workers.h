// Workers on other machines. Each has a token that an instructor made, and grades for that
// instructor's class. Several processes of a machine share its token, one per GPU.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "leaderboard/jobs/queue.h"

namespace ridge::leaderboard {

// Active: gets jobs. Draining: finishes its current jobs. Banned: its token is revoked, and others
// grade its jobs again.
inline constexpr const char *kActive = "active", *kDraining = "draining", *kBanned = "banned";

struct RemoteWorker {
  int64_t id = 0, class_id = 0, token_id = 0;
  std::string name, state;
};

struct NewWorker {
  int64_t id = 0;
  std::string token;  // shown once
};
NewWorker add_worker(Database& database, int64_t class_id, const std::string& name, int64_t now_ms);
std::optional<RemoteWorker> find_worker(Database& database, int64_t class_id, int64_t worker_id);
void set_worker_state(Database& database, const RemoteWorker& worker, const std::string& state,
                      int64_t now_ms, std::vector<Change>& changes);

// Records that a worker has asked for a job, and its devices. Returns false when it must not get a
// job. Sets the name to the one in the instructor's list followed by the process's own.
bool greet_worker(Database& database, int64_t token_id, Grader& grader, int64_t now_ms);

// [{"id", "name", "state", "devices", "created_ms", "seen_ms", "running", "graded"}]
nlohmann::json workers_json(Database& database, int64_t class_id);

}  // namespace ridge::leaderboard
