// The live board of an assignment: ranks per engine and per device, which never share a table.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/course/lab.h"
#include "leaderboard/classes/gradebook.h"

namespace ridge::leaderboard {

struct BoardView {
  bool for_instructor = false;  // with names, and what was frozen as it is now
  std::string salt;             // makes keys of rows that say nothing about whose they are
};

nlohmann::json board_json(Database& database, const ClassRecord& owner,
                          const Assignment& assignment, const course::Course& course,
                          const BoardView& view);

// The rung's title in the course; its path when the course has it no more.
std::string title_of_rung(const course::Course& course, const std::string& path);

// The key under which a person's row stands.
std::string board_key(const std::string& salt, int64_t person_id);

}  // namespace ridge::leaderboard
