// The server's log and metrics for its operator.
#include <fmt/format.h>

#include <cmath>

#include "leaderboard/api/app.h"

namespace ridge::leaderboard {

using nlohmann::json;

// Counts and logs. A worker's request without a job, five times per second, is not logged.
void App::finished(const Asked& asked, const Response& response) {
  ++answered_[response.status];
  if (!options_.log || (asked.who.role == Role::worker && response.status == 204)) return;
  const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - asked.began;
  json line = {{"at_ms", now_ms()},
               {"event", "request"},
               {"method", asked.method},
               {"route", asked.route ? asked.route->pattern : "none"},
               {"status", response.status},
               {"ms", std::round(took.count() * 100) / 100},
               {"role", name_of(asked.who.role)},
               {"peer", asked.peer}};
  if (asked.who.person_id) line["person"] = asked.who.person_id;
  if (response.status >= 500) line["answer"] = response.body.substr(0, 1000);
  options_.log(line);
}

void App::report_trouble(const std::string& what) {
  if (options_.log) options_.log({{"at_ms", now_ms()}, {"event", "trouble"}, {"what", what}});
}

std::string App::metrics() {
  std::string text = "# TYPE ridge_class_responses_total counter\n";
  for (const auto& [status, count] : answered_)
    text += fmt::format("ridge_class_responses_total{{status=\"{}\"}} {}\n", status, count);
  text += "# TYPE ridge_class_submissions gauge\n";
  for (const Row& row : database_.run("SELECT state, count(*) FROM submissions GROUP BY state"))
    text += fmt::format("ridge_class_submissions{{state=\"{}\"}} {}\n", row.text(0), row.number(1));
  text += "# TYPE ridge_class_jobs gauge\n";
  for (
      const Row& row : database_.run(
          "SELECT CASE WHEN state = 'leased' THEN 'leased' WHEN placed <> '' THEN 'in_slurm' ELSE "
          "'waiting' END AS what, count(*) FROM jobs WHERE state IN ('waiting', 'leased') GROUP BY 1"))
    text += fmt::format("ridge_class_jobs{{state=\"{}\"}} {}\n", row.text(0), row.number(1));
  text += fmt::format(
      "# TYPE ridge_class_queue_length gauge\nridge_class_queue_length {}\n",
      number_from(database_, "SELECT count(*) FROM jobs WHERE state = 'waiting'", {}).value_or(0));
  return text;
}

}  // namespace ridge::leaderboard
