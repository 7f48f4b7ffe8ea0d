// Appends to the event log.
#include "leaderboard/store/events.h"

namespace ridge::leaderboard {

void log_event(Database& database, const Event& event) {
  const auto id = [](int64_t number) { return number ? Value(number) : Value(nullptr); };
  database.run(
      "INSERT INTO events (at_ms, class_id, kind, actor, submission_id, person_id, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
      {event.at_ms, id(event.class_id), event.kind, event.actor, id(event.submission_id),
       id(event.person_id), event.detail});
}

}  // namespace ridge::leaderboard
