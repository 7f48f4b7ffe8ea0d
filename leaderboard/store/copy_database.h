// Copies all that a class's database holds into another one, of either kind.
#pragma once

#include <string>

#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

struct CopiedRows {
  int64_t submissions = 0, grades = 0, all = 0;
};

// `target` has tables and no rows; it is filled in one transaction. Whoever calls keeps `source`
// from changing meanwhile. Throws report::StoreError, also when a count of rows differs afterwards.
CopiedRows copy_database(Database& source, Database& target);

// Moves a class whose server may be running: changes to `source` wait until the copy is made, and
// are refused with the new address afterwards. A move that was interrupted is begun again, or
// finished. Throws report::StoreError.
CopiedRows move_database(Database& source, Database& target);
// "" unless the class has moved away; else where it went.
std::string moved_to(Database& source);
// Throws report::StoreError when `database` is the copy of a class whose move was interrupted.
void need_finished_move(Database& database);

}  // namespace ridge::leaderboard
