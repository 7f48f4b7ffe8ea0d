// `ridge class status`, `link` and `backup`: run on the server's machine, also while the server
// runs.
#include <fmt/format.h>

#include "harness/report/store/database.h"
#include "leaderboard/access/tokens.h"
#include "leaderboard/classes/local_time.h"
#include "leaderboard/classes/records.h"
#include "leaderboard/jobs/targets.h"
#include "leaderboard/program/commands.h"
#include "leaderboard/store/events.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;

namespace {

struct OpenClass {
  ClassSpec spec;
  std::unique_ptr<Database> database;
  ClassRecord record;
};

OpenClass open_class(const fs::path& clone, const fs::path& class_file, bool to_write) {
  const course::Course course = course::load(clone);
  OpenClass opened{read_class_file(class_file, course), nullptr, {}};
  const std::string where = database_of(opened.spec);
  if (!is_postgresql(where) && !fs::exists(where))
    throw std::runtime_error(fmt::format("{} is not there yet: `ridge class serve {}` makes it",
                                         where, class_file.string()));
  opened.database = to_write ? open_database(where) : open_database_to_read(where);
  const auto found = find_class(*opened.database, opened.spec.name);
  if (!found)
    throw std::runtime_error(fmt::format("{} has no class \"{}\"; `ridge class serve` makes it",
                                         opened.database->name(), opened.spec.name));
  opened.record = *found;
  return opened;
}

int64_t count(Database& database, const std::string& sql, int64_t class_id) {
  return number_from(database, sql, {class_id}).value_or(0);
}

}  // namespace

int status(const fs::path& clone, const fs::path& class_file) {
  const OpenClass opened = open_class(clone, class_file, false);
  Database& database = *opened.database;
  const int64_t id = opened.record.id;
  fmt::print("{} ({}), {}\n", opened.record.title, opened.record.name, opened.database->name());
  fmt::print(
      "  students     {}, of whom {} have joined\n",
      count(
          database,
          "SELECT count(*) FROM people WHERE class_id = ? AND role = 'student' AND deleted_ms IS NULL",
          id),
      count(
          database,
          "SELECT count(*) FROM people WHERE class_id = ? AND role = 'student' AND deleted_ms IS NULL AND joined_ms IS NOT NULL",
          id));
  fmt::print("  submissions  {}: {} graded, {} waiting, {} running, {} failed\n",
             count(database, "SELECT count(*) FROM submissions WHERE class_id = ?", id),
             count(database,
                   "SELECT count(*) FROM submissions WHERE class_id = ? AND state = 'graded'", id),
             count(database,
                   "SELECT count(*) FROM submissions WHERE class_id = ? AND state = 'queued'", id),
             count(database,
                   "SELECT count(*) FROM submissions WHERE class_id = ? AND state = 'running'", id),
             count(database,
                   "SELECT count(*) FROM submissions WHERE class_id = ? AND state = 'failed'", id));
  const int64_t oldest = count(
      database,
      "SELECT min(j.queued_ms) FROM jobs j JOIN submissions s ON s.id = j.submission_id WHERE s.class_id = ? AND j.state = 'waiting'",
      id);
  if (oldest) fmt::print("  the longest wait is {} s\n", (unix_ms() - oldest) / 1000);
  for (const Assignment& assignment : assignments_of(database, id))
    fmt::print("  {:<12} due {}, {} rungs, on the {}\n", assignment.name,
               local_text(assignment.due_ms, opened.record.time_zone), assignment.rungs.size(),
               words_for(assignment.engine));
  return 0;
}

int sign_in_link(const fs::path& clone, const fs::path& class_file, const std::string& email) {
  const OpenClass opened = open_class(clone, class_file, true);
  Transaction transaction(*opened.database);
  const Rows rows = opened.database->run(
      "SELECT id, name, email FROM people WHERE class_id = ? AND deleted_ms IS NULL AND role = 'instructor' AND (? = '' OR email = ?) ORDER BY id",
      {opened.record.id, email, email});
  if (rows.empty())
    throw std::runtime_error(
        fmt::format("no instructor of {} has the address {}", opened.record.name, email));
  for (const Row& row : rows) {
    const IssuedToken code = issue_token(
        *opened.database,
        {TokenKind::sign_in, opened.record.id, row.number(0), {}, unix_ms(), kDayMs, 1});
    fmt::print("{}, once within a day:\n  {}/#/sign-in/{}\n", row.text(1), public_url(opened.spec),
               code.secret);
  }
  transaction.commit();
  return 0;
}

int back_up(const fs::path& clone, const fs::path& class_file, const fs::path& file) {
  const OpenClass opened = open_class(clone, class_file, true);
  if (fs::exists(file))
    throw std::runtime_error(fmt::format("{} is there already; name a new file", file.string()));
  const fs::path fresh = file.string() + ".unfinished";
  std::error_code ignored;
  fs::remove(fresh, ignored);
  opened.database->back_up(fresh);
  fs::permissions(fresh, fs::perms::owner_read | fs::perms::owner_write);
  fs::rename(fresh, file);
  const auto copy = open_sqlite_to_read(file);
  const std::string where = database_of(opened.spec);
  fmt::print("{} holds {} submissions and {} grades. To restore: end the server, ", file.string(),
             number_from(*copy, "SELECT count(*) FROM submissions", {}).value_or(0),
             number_from(*copy, "SELECT count(*) FROM grades", {}).value_or(0));
  if (is_postgresql(where))
    fmt::print(
        "write `database = \"{}\"` in class.toml, and move it into an empty PostgreSQL database by `ridge class "
        "migrate`.\n",
        fs::absolute(file).string());
  else
    fmt::print("put the file in the place of {0}, and remove {0}-wal and {0}-shm.\n", where);
  return 0;
}

}  // namespace ridge::leaderboard
