// The roster of a class from an instructor's CSV file.
#pragma once

#include <string>
#include <vector>

#include "leaderboard/classes/csv.h"
#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

struct RosterEntry {
  int line = 0;
  std::string name, email, student_number, section;
};

struct Roster {
  std::vector<RosterEntry> entries;
  std::vector<CsvError> errors;  // if there are any, nothing is imported
};

// The first line has the column names in any order: name, email, id, section; the last two are
// optional.
Roster read_roster(const std::string& csv);

struct ImportedStudent {
  int64_t person_id = 0;
  RosterEntry entry;
  bool added = false;     // false: the row existed, identified by e-mail, and was updated
  std::string join_code;  // for people who have not joined: personal, single use
};

// Runs in the caller's transaction.
std::vector<ImportedStudent> import_roster(Database& database, int64_t class_id,
                                           const Roster& roster, int64_t now_ms);

}  // namespace ridge::leaderboard
