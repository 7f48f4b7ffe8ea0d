// Regrades: every submission concerned is graded again without replacing its grade; a table shows
// what would change; applying it replaces the grades in one transaction.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "leaderboard/jobs/queue.h"

namespace ridge::leaderboard {

struct RegradeScope {
  int64_t class_id = 0;
  std::optional<int64_t> submission_id = {}, assignment_id = {};  // both empty: the whole class
};

// Queues the dry run and returns the regrade's number. `submissions` receives the number of
// submissions.
int64_t start_regrade(Database& database, const RegradeScope& scope, const std::string& what,
                      int64_t now_ms, int64_t& submissions);

// {"id", "what", "state": "running" | "ready" | "applied", "total", "done", "failed", "rows":
// [{"submission", "student", "rung", "before", "after", "changes"}]}; null when it does not exist.
// Rows with changes come first.
nlohmann::json regrade_json(Database& database, int64_t class_id, int64_t regrade_id);

// Returns false unless its dry run is complete and it was not applied yet.
bool apply_regrade(Database& database, int64_t class_id, int64_t regrade_id,
                   const std::string& actor, int64_t now_ms, std::vector<Change>& changes);

}  // namespace ridge::leaderboard
