// Health and metrics for monitoring, and the description of the API.
#include "leaderboard/api/handlers.h"
#include "leaderboard_openapi.h"

namespace ridge::leaderboard::handlers {

// Read something, so that a missing database is detected.
Response health(Call& call) {
  call.database.run("SELECT count(*) FROM classes");
  return json_response({{"ok", true}});
}

Response metrics(Call& call) {
  return {200, call.app.metrics(), "text/plain; version=0.0.4"};
}

Response openapi(Call&) {
  return {200, kOpenApi};
}

}  // namespace ridge::leaderboard::handlers
