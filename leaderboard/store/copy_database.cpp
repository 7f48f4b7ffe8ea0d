// Copies a database row by row, a hundred rows per statement.
#include "leaderboard/store/copy_database.h"

#include <fmt/format.h>

#include <algorithm>

#include "leaderboard/store/schema.h"

namespace ridge::leaderboard {

namespace {

constexpr size_t kRowsPerStatement = 100;
constexpr const char *kUnfinishedMove = "unfinished_move", *kMovedTo = "moved_to";

int64_t rows_in(Database& database, const std::string& table) {
  return number_from(database, "SELECT count(*) FROM " + table, {}).value_or(0);
}

using Columns = std::vector<Database::Column>;

std::string listed(const Columns& columns, std::string Database::Column::*what) {
  std::string list;
  for (const Database::Column& column : columns)
    list += (list.empty() ? "" : ", ") + column.*what;
  return list;
}

void insert(Database& target, const std::string& table, const Columns& columns, const Rows& rows) {
  std::string places;
  Values values;
  for (const Row& row : rows) {
    places += places.empty() ? "(" : ", (";
    for (size_t i = 0; i < columns.size(); ++i) {
      places += i == 0 ? "?" : ", ?";
      values.push_back(row.is_null(i) ? Value(nullptr) : Value(row.text(i)));
    }
    places += ")";
  }
  target.run(fmt::format("INSERT INTO {} ({}) VALUES {}", table,
                         listed(columns, &Database::Column::name), places),
             values);
}

int64_t copy_table(Database& source, Database& target, const std::string& table) {
  const Columns columns = source.columns_of(table);
  const std::string list =
      fmt::format("SELECT {} FROM {}", listed(columns, &Database::Column::exact), table);
  const auto id = std::find_if(columns.begin(), columns.end(),
                               [](const auto& column) { return column.name == "id"; });
  const bool numbered = id != columns.end();
  int64_t copied = 0, last = 0;
  while (true) {
    // The first two columns of a table without numbers identify a row.
    const Rows rows =
        numbered ? source.run(
                       fmt::format("{} WHERE id > ? ORDER BY id LIMIT {}", list, kRowsPerStatement),
                       {last})
                 : source.run(fmt::format("{} ORDER BY {}, {} LIMIT {} OFFSET ?", list,
                                          columns[0].name, columns[1].name, kRowsPerStatement),
                              {copied});
    if (rows.empty()) break;
    insert(target, table, columns, rows);
    copied += static_cast<int64_t>(rows.size());
    if (numbered) last = rows.back().number(static_cast<size_t>(id - columns.begin()));
  }
  if (numbered) target.continue_numbers(table);
  if (rows_in(target, table) != copied || rows_in(source, table) != copied)
    throw report::StoreError(
        fmt::format("the copy of {} is not whole: {} of {} rows; nothing was changed, try again",
                    table, rows_in(target, table), rows_in(source, table)));
  return copied;
}

CopiedRows copy_tables(Database& source, Database& target) {
  CopiedRows copied;
  for (const std::string& table : table_names()) {
    const int64_t rows = copy_table(source, target, table);
    copied.all += rows;
    if (table == "submissions") copied.submissions = rows;
    if (table == "grades") copied.grades = rows;
  }
  return copied;
}

std::string setting(Database& database, const char* name) {
  const Rows rows = database.run("SELECT value FROM settings WHERE name = ?", {std::string(name)});
  return rows.empty() ? "" : rows[0].text(0);
}

void set(Database& database, const char* name, const std::string& value) {
  database.run(
      "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = "
      "excluded.value",
      {std::string(name), value});
}

void need_empty(Database& target) {
  if (rows_in(target, "classes") == 0) return;
  throw report::StoreError(fmt::format(
      "{} holds a class already: name an empty database. Nothing was changed", target.name()));
}

// Removes the rows that an interrupted move has left. The event log rejects DELETE.
void empty_tables(Database& target) {
  std::string all;
  for (const std::string& table : table_names())
    all += (all.empty() ? "" : ", ") + table;
  target.run_script("TRUNCATE " + all);
}

}  // namespace

CopiedRows copy_database(Database& source, Database& target) {
  Transaction transaction(target);
  need_empty(target);
  const CopiedRows copied = copy_tables(source, target);
  transaction.commit();
  return copied;
}

std::string moved_to(Database& source) {
  return setting(source, kMovedTo);
}

CopiedRows move_database(Database& source, Database& target) {
  const std::string from = source.name();
  CopiedRows copied;
  const bool moved = moved_to(source) == target.name() && rows_in(target, "classes") > 0;
  if (!moved) {
    Transaction leaving(source);  // throws when the class has moved elsewhere
    Transaction arriving(target);
    if (setting(target, kUnfinishedMove) == from) empty_tables(target);
    need_empty(target);
    copied = copy_tables(source, target);
    set(target, kUnfinishedMove, from);  // removed once the source rejects changes
    arriving.commit();
    set(source, kMovedTo, target.name());
    source.run_script(fmt::format("PRAGMA application_id = {}", kMovedMark));
    leaving.commit();
  }
  Transaction finishing(target);
  target.run("DELETE FROM settings WHERE name = ?", {std::string(kUnfinishedMove)});
  finishing.commit();
  return copied;
}

void need_finished_move(Database& database) {
  const std::string from = setting(database, kUnfinishedMove);
  if (from.empty()) return;
  throw report::StoreError(fmt::format(
      "the move of {} to {} was interrupted: write `database = \"{}\"` in class.toml and "
      "run `ridge class migrate` again",
      from, database.name(), from));
}

}  // namespace ridge::leaderboard
