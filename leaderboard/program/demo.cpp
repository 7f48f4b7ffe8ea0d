// `ridge class demo`: an example class without configuration.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <fstream>

#include "leaderboard/access/tokens.h"
#include "leaderboard/classes/local_time.h"
#include "leaderboard/classes/records.h"
#include "leaderboard/program/commands.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;

namespace {

// Three assignments: a past one, one that is due soon, a future one.
std::string demo_class_text(int port, const std::string& database, int64_t now_ms) {
  // A full hour that comes one to two hours after this time of day: how many days a submission is
  // late does not depend on when the demonstration begins.
  const auto day = [&](int days) {
    return local_field(now_ms + days * kDayMs + 2 * kHourMs, "UTC").substr(0, 13) + ":00";
  };
  return fmt::format(R"toml(# Written by `ridge class demo`.
[class]
name = "demo"
title = "GPU programming (demonstration)"
time_zone = "UTC"
public_board = true

[server]
listen = "127.0.0.1:{}"
workers = 1
traces = true
database = "{}"

[[instructor]]
name = "Demo Instructor"
email = "instructor@example.org"

[[assignment]]
name = "basics"
title = "Kernel basics"
rungs = ["01/1", "01/2", "01/3"]
due = "{}"
late = {{ percent_per_day = 10, days = 5 }}

[[assignment]]
name = "coalescing"
title = "Coalescing and the transpose"
rungs = ["02/1", "02/3", {{ rung = "02/4", weight = 2 }}, {{ rung = "02/5", weight = 2 }}]
due = "{}"
late = {{ percent_per_day = 20, days = 3 }}

[[assignment]]
name = "reductions"
title = "Reductions"
rungs = ["03/1", "03/2", "03/3"]
due = "{}"
)toml",
                     port, database, day(-3), day(7), day(21));
}

}  // namespace

int demo(const DemoOptions& options) {
  const fs::path file = options.folder / "class.toml";
  if (options.fresh) fs::remove_all(options.folder);
  fs::create_directories(options.folder);
  const int64_t now_ms = unix_ms();
  if (!fs::exists(file))
    std::ofstream(file) << demo_class_text(options.port, options.database, now_ms);
  const course::Course course = course::load(options.clone);
  const ClassSpec spec = read_class_file(file, course);
  {
    const std::unique_ptr<Database> database = open_database(database_of(spec));
    Transaction transaction(*database);
    const int64_t class_id = create_or_update_class(*database, spec, now_ms);
    if (students_of(*database, class_id).empty())
      add_synthetic_class(*database, class_id, course, options.students, options.submissions,
                          now_ms);
    transaction.commit();
  }
  fmt::print("A demonstration class in {} (--fresh starts over): {} synthetic students.\n",
             options.folder.string(), options.students);
  return serve({options.clone,
                {file},
                options.port,
                options.workers,
                options.unsafe,
                true,
                options.secrets,
                {}});
}

}  // namespace ridge::leaderboard
