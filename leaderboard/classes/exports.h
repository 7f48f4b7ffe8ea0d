// The gradebook in the formats of other systems.
#pragma once

#include <string>

#include "leaderboard/classes/gradebook.h"

namespace ridge::leaderboard {

// Canvas: one column per assignment, and a line with the possible points.
std::string canvas_csv(Database& database, const ClassRecord& owner);
// Moodle: identified by ID number and e-mail address.
std::string moodle_csv(Database& database, const ClassRecord& owner);
// One line per student, assignment and rung: the counting submission, and why.
std::string plain_csv(Database& database, const ClassRecord& owner);
// {"students": {"12": results.json of Gradescope}}: one autograder result per student.
std::string gradescope_json(Database& database, const ClassRecord& owner);
// A tar archive: the three CSV files, one results.json per student, every submission's files and
// grade.
std::string archive_tar(Database& database, const ClassRecord& owner);

}  // namespace ridge::leaderboard
