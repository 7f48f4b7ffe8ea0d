// `ridge class migrate`: moves a class from SQLite to PostgreSQL while a server runs.
#include <fmt/format.h>

#include <chrono>
#include <sstream>

#include "harness/report/store/database.h"
#include "leaderboard/program/commands.h"
#include "leaderboard/store/copy_database.h"
#include "text/whole_file.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;

namespace {

// The text of class.toml with another database: replaces its line, or adds one to [server].
std::string with_database(const std::string& text, const std::string& url) {
  const std::string line = fmt::format("database = \"{}\"", url);
  std::istringstream lines(text);
  std::string result, section;
  bool written = false;
  for (std::string one; std::getline(lines, one);) {
    if (one.starts_with("[")) section = one.substr(0, one.find(']') + 1);
    const bool old = section == "[server]" && one.starts_with("database");
    if (!old) result += one + "\n";
    if (written || !(old || one.starts_with("[server]"))) continue;
    const bool follows = text.find("\ndatabase", text.find("[server]")) != text.npos;
    if (old || !follows) {
      result += line + "\n";
      written = true;
    }
  }
  return written ? result : result + "\n[server]\n" + line + "\n";
}

}  // namespace

int migrate(const fs::path& clone, const fs::path& class_file, const std::string& url) {
  if (!is_postgresql(url))
    throw std::runtime_error(
        fmt::format("{} is not the address of a PostgreSQL database, such as "
                    "postgresql://user@host/name",
                    url));
  const ClassSpec spec = read_class_file(class_file, course::load(clone));
  const std::string where = database_of(spec);
  if (is_postgresql(where))
    throw std::runtime_error("this class is on PostgreSQL already; pg_dump moves it elsewhere");
  if (!fs::exists(where))
    throw std::runtime_error(fmt::format("{} is not there: there is nothing to move", where));
  const auto begun = std::chrono::steady_clock::now();
  const auto source = open_sqlite(where);
  const auto target = open_postgresql(url);
  const CopiedRows copied = move_database(*source, *target);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const fs::path fresh = class_file.string() + ".new";
  write_text(fresh, with_database(text::read_file(class_file), url));
  fs::permissions(fresh, fs::status(class_file).permissions());
  fs::rename(fresh, class_file);
  fmt::print(
      "{} rows, among them {} submissions and {} grades, were moved from {} to {} in {:.1f} s. {} names the new "
      "database now; a server that runs changes over by itself.\n",
      copied.all, copied.submissions, copied.grades, where, target->name(), took.count(),
      class_file.string());
  return 0;
}

}  // namespace ridge::leaderboard
