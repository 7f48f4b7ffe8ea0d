// The tables of the class server's database, as upgrade steps between versions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::leaderboard {

class Database;

enum class Dialect { sqlite, postgresql };

int64_t schema_version();
// The statements that upgrade from `version` to `version + 1`.
std::string schema_step(int64_t version, Dialect dialect);

// Throws report::StoreError when a newer server has written the database.
void need_known_version(Database& database);
// Upgrades the tables in one transaction. Servers that start at the same time wait for each other.
void bring_up_to_date(Database& database, Dialect dialect);

// All tables, each after those that it references.
const std::vector<std::string>& table_names();

// SQLite's `PRAGMA application_id` of a class that has moved to another database; 'moved_to' in the
// table `settings` says where.
inline constexpr int64_t kMovedMark = 0x52494447;

}  // namespace ridge::leaderboard
