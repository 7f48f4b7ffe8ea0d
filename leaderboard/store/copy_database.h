// Copies the contents of a class's database into another one, of either kind.
#pragma once

#include <string>

#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

struct CopiedRows {
  int64_t submissions = 0, grades = 0, all = 0;
};

// `target` has tables without rows and is filled in one transaction. The caller keeps `source` from
// changing meanwhile. Throws report::StoreError, also when a count of rows differs afterwards.
CopiedRows copy_database(Database& source, Database& target);

// Moves a class whose server may be running: changes to `source` wait until the copy is complete;
// after that they are rejected with the new address. An interrupted move is restarted or completed.
// Throws report::StoreError.
CopiedRows move_database(Database& source, Database& target);
// The address that the class has moved to; "" when it has not moved.
std::string moved_to(Database& source);
// Throws report::StoreError when `database` is the copy of a class whose move was interrupted.
void need_finished_move(Database& database);

}  // namespace ridge::leaderboard
