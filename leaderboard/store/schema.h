// The tables of the class server's database, as steps from one version to the next.
#pragma once

#include <cstdint>

namespace ridge::leaderboard {

int64_t schema_version();
const char* schema_step(int64_t version);  // leads from `version` to `version + 1`

}  // namespace ridge::leaderboard
