// The tables of the store, and the upgrade from older versions.
#pragma once

#include "harness/report/store/database.h"

namespace ridge::report {

inline constexpr int64_t kStoreVersion = 3;

int64_t version_of(Database& database);  // 0: no tables yet
// Throws for a newer file, with a message for the user.
void need_known_version(Database& database);
// Creates or upgrades the tables to kStoreVersion. Safe when several programs do it at once, or
// when one is killed: a step is executed completely or not at all.
void bring_up_to_date(Database& database);

}  // namespace ridge::report
