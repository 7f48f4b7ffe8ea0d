// Regrades in the database.
#include "leaderboard/jobs/regrade.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "leaderboard/store/events.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

struct Counts {
  int64_t total = 0, open = 0, done = 0;
};

Counts counts_of(Database& database, int64_t regrade_id) {
  const Row row = database.run(
      "SELECT count(DISTINCT submission_id), count(*) FILTER (WHERE state IN ('waiting', 'leased')), count(*) FILTER (WHERE state = "
      "'done') FROM jobs WHERE regrade_id = ?",
      {regrade_id})[0];
  return {row.number(0), row.number(1), row.number(2)};
}

std::string state_of(const std::string& stored, const Counts& counts) {
  if (stored == "applied") return stored;
  return counts.open > 0 ? "running" : "ready";
}

json grade_json(const Row& row, size_t column) {
  if (row.is_null(column)) return nullptr;
  json figure = nullptr;
  if (const auto value = row.real_if_any(column + 1)) figure = *value;
  return {{"verdict", row.text(column)}, {"figure", figure}, {"device", row.text(column + 2)}};
}

}  // namespace

int64_t start_regrade(Database& database, const RegradeScope& scope, const std::string& what,
                      int64_t now_ms, int64_t& submissions) {
  const int64_t id =
      database
          .run(
              "INSERT INTO regrades (class_id, what, state, created_ms) VALUES (?, ?, 'running', ?) "
              "RETURNING id",
              {scope.class_id, what, now_ms})[0]
          .number(0);
  // Use the seed of the current grade: differences then come from the course or the machine, not
  // from the inputs.
  Values values = {id, now_ms, scope.class_id};
  std::string which;
  if (scope.submission_id) {
    which = "AND s.id = ? ";
    values.push_back(*scope.submission_id);
  } else if (scope.assignment_id) {
    which = "AND s.assignment_id = ? ";
    values.push_back(*scope.assignment_id);
  }
  submissions = static_cast<int64_t>(
      database
          .run(
              "INSERT INTO jobs (submission_id, attempt, regrade_id, state, seed, queued_ms, target) SELECT s.id, (SELECT "
              "max(attempt) + 1 FROM jobs WHERE jobs.submission_id = s.id), ?, 'waiting', g.seed, ?, a.engine FROM "
              "submissions s JOIN grades g ON g.submission_id = s.id AND g.in_force = 1 JOIN people p ON p.id = s.person_id "
              "AND p.deleted_ms IS NULL JOIN assignments a ON a.id = s.assignment_id WHERE s.class_id = ? AND "
              "s.invalid_reason IS NULL " +
                  which +
                  "AND NOT EXISTS (SELECT 1 FROM jobs open WHERE open.submission_id = s.id AND open.further = 0 AND open.state IN "
                  "('waiting', 'leased')) RETURNING submission_id",
              values)
          .size());
  return id;
}

json regrade_json(Database& database, int64_t class_id, int64_t regrade_id) {
  const Rows found = database.run(
      "SELECT what, state, created_ms, applied_ms FROM regrades WHERE id = ? AND class_id = ?",
      {regrade_id, class_id});
  if (found.empty()) return nullptr;
  const Counts counts = counts_of(database, regrade_id);
  const std::string state = state_of(found[0].text(1), counts);
  json rows = json::array();
  int64_t changed = 0;
  for (
      const Row& row : database.run(
          "SELECT s.id, p.id, p.name, s.rung, b.verdict, b.figure, b.device, g.verdict, g.figure, g.device FROM grades g "
          "JOIN submissions s ON s.id = g.submission_id JOIN people p ON p.id = s.person_id LEFT JOIN grades b ON b.id = "
          "(SELECT max(id) FROM grades o WHERE o.submission_id = s.id AND o.id < g.id AND (o.regrade_id IS NULL OR "
          "EXISTS (SELECT 1 FROM regrades r WHERE r.id = o.regrade_id AND r.state = 'applied'))) WHERE g.regrade_id = ? "
          "ORDER BY (b.verdict IS DISTINCT FROM g.verdict) DESC, s.id",
          {regrade_id})) {
    const bool changes = row.text(4) != row.text(7);
    changed += changes;
    rows.push_back({{"submission", row.number(0)},
                    {"student", {{"id", row.number(1)}, {"name", row.text(2)}}},
                    {"rung", row.text(3)},
                    {"before", grade_json(row, 4)},
                    {"after", grade_json(row, 7)},
                    {"changes", changes}});
  }
  return {{"id", regrade_id},
          {"what", found[0].text(0)},
          {"state", state},
          {"total", counts.total},
          {"done", counts.done},
          {"changed", changed},
          {"failed", state == "running" ? 0 : counts.total - counts.done},
          {"created_ms", found[0].number(2)},
          {"rows", std::move(rows)}};
}

bool apply_regrade(Database& database, int64_t class_id, int64_t regrade_id,
                   const std::string& actor, int64_t now_ms, std::vector<Change>& changes) {
  const Rows found = database.run("SELECT state FROM regrades WHERE id = ? AND class_id = ?",
                                  {regrade_id, class_id});
  if (found.empty() || state_of(found[0].text(0), counts_of(database, regrade_id)) != "ready")
    return false;
  const Rows graded = database.run(
      "SELECT g.id, s.id, s.person_id, s.assignment_id FROM grades g JOIN submissions s ON s.id = g.submission_id WHERE "
      "g.regrade_id = ?",
      {regrade_id});
  for (const Row& row : graded) {
    database.run("UPDATE grades SET in_force = 0 WHERE submission_id = ? AND in_force = 1",
                 {row.number(1)});
    database.run("UPDATE grades SET in_force = 1 WHERE id = ?", {row.number(0)});
    changes.push_back({class_id, row.number(1), row.number(2), row.number(3), true});
  }
  database.run("UPDATE regrades SET state = 'applied', applied_ms = ? WHERE id = ?",
               {now_ms, regrade_id});
  log_event(database, {now_ms, class_id, "regrade.applied", actor, 0, 0,
                       "regrade " + std::to_string(regrade_id) +
                           ", submissions: " + std::to_string(graded.size())});
  return true;
}

}  // namespace ridge::leaderboard
