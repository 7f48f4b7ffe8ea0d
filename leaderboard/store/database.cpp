// Result rows, and the kind of database that an address names.
#include "leaderboard/store/database.h"

#include <cstdlib>

namespace ridge::leaderboard {

const std::string& Row::text(size_t column) const {
  static const std::string nothing;
  const auto& cell = cells_.at(column);
  return cell ? *cell : nothing;
}

int64_t Row::number(size_t column) const {
  return std::strtoll(text(column).c_str(), nullptr, 10);
}

double Row::real(size_t column) const {
  return std::strtod(text(column).c_str(), nullptr);
}

std::optional<double> Row::real_if_any(size_t column) const {
  return is_null(column) ? std::nullopt : std::optional(real(column));
}

std::optional<int64_t> Row::number_if_any(size_t column) const {
  return is_null(column) ? std::nullopt : std::optional(number(column));
}

bool is_postgresql(const std::string& where) {
  return where.starts_with("postgresql://") || where.starts_with("postgres://");
}

std::unique_ptr<Database> open_database(const std::string& where) {
  return is_postgresql(where) ? open_postgresql(where) : open_sqlite(where);
}

std::unique_ptr<Database> open_database_to_read(const std::string& where) {
  return is_postgresql(where) ? open_postgresql_to_read(where) : open_sqlite_to_read(where);
}

std::optional<int64_t> number_from(Database& database, std::string_view sql, const Values& values) {
  const Rows rows = database.run(sql, values);
  return rows.empty() || rows[0].is_null(0) ? std::nullopt : std::optional(rows[0].number(0));
}

}  // namespace ridge::leaderboard
