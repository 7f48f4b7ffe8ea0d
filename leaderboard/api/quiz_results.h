// What students answered in quizzes, from the log of a class.
#pragma once

#include <string>

#include "leaderboard/classes/records.h"
#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

// One line per student and quiz: the best of the results that were sent, and how many were.
std::string quizzes_csv(Database& database, const ClassRecord& owner);

}  // namespace ridge::leaderboard
