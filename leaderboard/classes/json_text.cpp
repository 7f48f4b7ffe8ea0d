// Writes JSON, whatever bytes its texts have.
#include "leaderboard/classes/json_text.h"

#include <nlohmann/json.hpp>

namespace ridge::leaderboard {

std::string dumped(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace ridge::leaderboard
