// The live board of an assignment: ranks per engine and per device, in separate tables.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/course/lab.h"
#include "leaderboard/classes/gradebook.h"

namespace ridge::leaderboard {

struct BoardView {
  bool for_instructor = false;  // with names, and without a freeze
  std::string salt;             // for keys of rows that do not reveal their owners
};

nlohmann::json board_json(Database& database, const ClassRecord& owner,
                          const Assignment& assignment, const course::Course& course,
                          const BoardView& view);

// The rung's title in the course; its path when the course no longer has the rung.
std::string title_of_rung(const course::Course& course, const std::string& path);

// The key of a person's row.
std::string board_key(const std::string& salt, int64_t person_id);

}  // namespace ridge::leaderboard
