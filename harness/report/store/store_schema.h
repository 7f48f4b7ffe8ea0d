// The tables of the store, and how those of an older version become today's.
#pragma once

#include "harness/report/store/database.h"

namespace ridge::report {

inline constexpr int64_t kStoreVersion = 3;

int64_t version_of(Database& database);  // 0: no tables yet
// Refuses a newer file, in words for a person.
void need_known_version(Database& database);
// Makes the tables or brings them up to date; afterwards they are of kStoreVersion. Safe when several
// programs do it at once, and when one of them is killed: a step happens whole or not at all.
void bring_up_to_date(Database& database);

}  // namespace ridge::report
