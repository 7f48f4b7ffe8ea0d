// JSON as the server sends it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ridge::leaderboard {

std::string dumped(const nlohmann::json& json);  // invalid UTF-8 becomes U+FFFD

}  // namespace ridge::leaderboard
