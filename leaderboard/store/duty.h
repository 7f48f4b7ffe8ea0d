// What only one of several servers on a database may do at a time.
#pragma once

#include <string>

#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

// Within a transaction. True when `holder` has the duty for the next lives_ms: nobody had it, or it
// is renewed.
bool hold_duty(Database& database, const std::string& name, const std::string& holder,
               int64_t now_ms, int64_t lives_ms);

}  // namespace ridge::leaderboard
