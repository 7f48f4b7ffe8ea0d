// The append-only log: what happened to a class, to whom, and who did it. It contains no source
// code.
#pragma once

#include <string>

#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

struct Event {
  int64_t at_ms = 0, class_id = 0;
  std::string kind;   // "submission.received", "grade.accepted", "regrade.applied", ...
  std::string actor;  // "student 12", "instructor 3", "worker local-0", "server"
  int64_t submission_id = 0, person_id = 0;
  std::string detail;
};

void log_event(Database& database, const Event& event);

}  // namespace ridge::leaderboard
