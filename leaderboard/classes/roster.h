// A class's roster as an instructor's CSV file tells it.
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
  std::vector<CsvError> errors;  // with any, nothing is imported
};

// The first line names the columns, in any order: name, email, id, section; the last two may be
// missing.
Roster read_roster(const std::string& csv);

struct ImportedStudent {
  int64_t person_id = 0;
  RosterEntry entry;
  bool added = false;     // else the row was there, by its e-mail, and was brought up to date
  std::string join_code;  // for whoever has not joined: personal, once
};

// In the caller's transaction.
std::vector<ImportedStudent> import_roster(Database& database, int64_t class_id,
                                           const Roster& roster, int64_t now_ms);

}  // namespace ridge::leaderboard
