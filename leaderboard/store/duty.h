// Tasks that only one of several servers on a database may do at a time.
#pragma once

#include <string>

#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

// Must be called within a transaction. Returns true when `holder` has the duty for the next
// lives_ms: it was free, or the holder renews it.
bool hold_duty(Database& database, const std::string& name, const std::string& holder,
               int64_t now_ms, int64_t lives_ms);

}  // namespace ridge::leaderboard
