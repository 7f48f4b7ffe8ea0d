// Stores duties in the database.
#include "leaderboard/store/duty.h"

namespace ridge::leaderboard {

bool hold_duty(Database& database, const std::string& name, const std::string& holder,
               int64_t now_ms, int64_t lives_ms) {
  return !database
              .run(
                  "INSERT INTO duties (name, holder, until_ms) VALUES (?, ?, ?) ON CONFLICT (name) "
                  "DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms WHERE "
                  "duties.holder = excluded.holder OR duties.until_ms < ? RETURNING name",
                  {name, holder, now_ms + lives_ms, now_ms})
              .empty();
}

}  // namespace ridge::leaderboard
