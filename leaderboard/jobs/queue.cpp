// The queue in the database.
#include "leaderboard/jobs/queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "leaderboard/access/secrets.h"
#include "leaderboard/store/events.h"

namespace ridge::leaderboard {

namespace {

struct OpenJob {
  std::string state, lease_hash, worker;
  std::optional<int64_t> regrade_id;
};

std::optional<OpenJob> find_job(Database& database, int64_t submission_id, int attempt) {
  const Rows rows = database.run(
      "SELECT state, lease_hash, worker, regrade_id FROM jobs WHERE submission_id = ? AND attempt = ?",
      {submission_id, int64_t{attempt}});
  if (rows.empty()) return std::nullopt;
  return OpenJob{rows[0].text(0), rows[0].text(1), rows[0].text(2), rows[0].number_if_any(3)};
}

Change change_of(Database& database, int64_t submission_id, bool board) {
  const Rows rows = database.run(
      "SELECT class_id, person_id, assignment_id FROM submissions WHERE id = ?", {submission_id});
  return {rows.at(0).number(0), submission_id, rows[0].number(1), rows[0].number(2), board};
}

void log_for(Database& database, const Change& change, const char* kind, const std::string& actor,
             const std::string& detail, int64_t now_ms) {
  log_event(database,
            {now_ms, change.class_id, kind, actor, change.submission_id, change.person_id, detail});
}

Accepted check_lease(const std::optional<OpenJob>& job, const std::string& lease) {
  if (!job || job->lease_hash.empty() || !same_secret(job->lease_hash, hash_of_secret(lease)))
    return Accepted::not_yours;
  if (job->state == "done") return Accepted::already;
  return job->state == "leased" ? Accepted::yes : Accepted::not_yours;
}

// The attempt is over without a result: another follows, or after too many the submission has
// failed.
void lose(Database& database, int64_t submission_id, int attempt, const std::string& why,
          int64_t now_ms, std::vector<Change>& changes) {
  database.run("UPDATE jobs SET state = 'lost' WHERE submission_id = ? AND attempt = ?",
               {submission_id, int64_t{attempt}});
  const Rows rows = database.run(
      "SELECT regrade_id, seed, queued_ms, (SELECT count(*) FROM jobs other WHERE other.submission_id = "
      "jobs.submission_id AND other.state = 'lost' AND other.attempt > coalesce((SELECT max(attempt) FROM jobs done "
      "WHERE done.submission_id = jobs.submission_id AND done.state = 'done'), 0)) FROM jobs WHERE submission_id = ? "
      "AND attempt = ?",
      {submission_id, int64_t{attempt}});
  const Row& row = rows.at(0);
  const bool again = row.number(3) < kMostAttempts;
  if (again)
    database.run(
        "INSERT INTO jobs (submission_id, attempt, regrade_id, state, seed, queued_ms) VALUES (?, ?, ?, "
        "'waiting', ?, ?)",
        {submission_id, int64_t{attempt} + 1, value_of(row.number_if_any(0)), row.text(1),
         row.number(2)});
  if (row.is_null(0))
    database.run("UPDATE submissions SET state = ? WHERE id = ?",
                 {std::string(again ? "queued" : "failed"), submission_id});
  const Change change = change_of(database, submission_id, false);
  log_for(database, change, again ? "attempt.lost" : "submission.failed", "server",
          fmt::format("attempt {}: {}", attempt, why), now_ms);
  changes.push_back(change);
}

}  // namespace

void enqueue(Database& database, int64_t submission_id, int64_t now_ms) {
  database.run(
      "INSERT INTO jobs (submission_id, attempt, state, seed, queued_ms) VALUES (?, 1, 'waiting', ?, ?)",
      {submission_id, random_seed(), now_ms});
}

std::optional<Job> lease_next(Database& database, const std::string& worker,
                              const std::vector<std::string>& engines, int64_t now_ms,
                              std::vector<Change>& changes) {
  recover(database, "", now_ms, changes);
  const auto can = [&](const char* engine) {
    return std::string(std::find(engines.begin(), engines.end(), engine) != engines.end() ? engine
                                                                                          : "");
  };
  const Rows rows = database.run(
      "SELECT j.submission_id, j.attempt, j.seed, s.rung, s.files, a.engine, j.regrade_id FROM jobs j "
      "JOIN submissions s ON s.id = j.submission_id JOIN assignments a ON a.id = s.assignment_id "
      "WHERE j.state = 'waiting' AND a.engine IN (?, ?) AND s.person_id NOT IN (SELECT running.person_id FROM jobs r "
      "JOIN submissions running ON running.id = r.submission_id WHERE r.state = 'leased') "
      "ORDER BY j.regrade_id IS NOT NULL, j.queued_ms, j.submission_id LIMIT 1",
      {can("virtual"), can("gpu")});
  if (rows.empty()) return std::nullopt;
  const Row& row = rows[0];
  Job job{row.number(0), static_cast<int>(row.number(1)),
          row.text(3),   row.text(5),
          row.text(2),   row.text(4),
          new_secret()};
  database.run(
      "UPDATE jobs SET state = 'leased', worker = ?, lease_hash = ?, lease_until_ms = ?, progress = '' WHERE "
      "submission_id = ? AND attempt = ?",
      {worker, hash_of_secret(job.lease), now_ms + kLeaseMs, job.submission_id,
       int64_t{job.attempt}});
  if (row.is_null(6))
    database.run("UPDATE submissions SET state = 'running' WHERE id = ?", {job.submission_id});
  changes.push_back(change_of(database, job.submission_id, false));
  log_for(database, changes.back(), "attempt.leased", "worker " + worker,
          fmt::format("attempt {}", job.attempt), now_ms);
  return job;
}

Accepted note_progress(Database& database, int64_t submission_id, int attempt,
                       const std::string& lease, const std::string& text, int64_t now_ms,
                       std::vector<Change>& changes) {
  const Accepted accepted = check_lease(find_job(database, submission_id, attempt), lease);
  if (accepted != Accepted::yes) return accepted;
  database.run(
      "UPDATE jobs SET progress = ?, lease_until_ms = ? WHERE submission_id = ? AND attempt = ?",
      {text, now_ms + kLeaseMs, submission_id, int64_t{attempt}});
  changes.push_back(change_of(database, submission_id, false));
  return accepted;
}

Accepted accept_result(Database& database, int64_t submission_id, int attempt,
                       const std::string& lease, const GradeRecord& grade, int64_t now_ms,
                       std::vector<Change>& changes) {
  const std::optional<OpenJob> job = find_job(database, submission_id, attempt);
  const Accepted accepted = check_lease(job, lease);
  if (accepted != Accepted::yes) return accepted;
  const bool in_force = !job->regrade_id;  // a regrade's counts when it is applied
  if (in_force)
    database.run("UPDATE grades SET in_force = 0 WHERE submission_id = ? AND in_force = 1",
                 {submission_id});
  database.run(
      "INSERT INTO grades (submission_id, attempt, regrade_id, in_force, verdict, engine, device, figure, summary, "
      "next, result, seed, seconds, accepted_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {submission_id, int64_t{attempt}, value_of(job->regrade_id), int64_t{in_force}, grade.verdict,
       grade.engine, grade.device, value_of(grade.figure), grade.summary, grade.next, grade.result,
       grade.seed, grade.seconds, now_ms});
  database.run("UPDATE jobs SET state = 'done' WHERE submission_id = ? AND attempt = ?",
               {submission_id, int64_t{attempt}});
  if (in_force)
    database.run("UPDATE submissions SET state = 'graded' WHERE id = ?", {submission_id});
  changes.push_back(change_of(database, submission_id, in_force));
  log_for(database, changes.back(), "grade.accepted", "worker " + job->worker,
          fmt::format("attempt {}: {}", attempt, grade.verdict), now_ms);
  return accepted;
}

Accepted accept_trace(Database& database, int64_t submission_id, int attempt,
                      const std::string& lease, const std::string& base64,
                      std::vector<Change>& changes) {
  if (check_lease(find_job(database, submission_id, attempt), lease) != Accepted::already)
    return Accepted::not_yours;
  database.run(
      "DELETE FROM traces WHERE submission_id IN (SELECT other.id FROM submissions other JOIN submissions own ON own.id = ? "
      "WHERE other.person_id = own.person_id AND other.rung = own.rung)",
      {submission_id});
  database.run("INSERT INTO traces (submission_id, bytes) VALUES (?, ?)", {submission_id, base64});
  changes.push_back(change_of(database, submission_id, false));
  return Accepted::yes;
}

Accepted give_back(Database& database, int64_t submission_id, int attempt, const std::string& lease,
                   const std::string& why, int64_t now_ms, std::vector<Change>& changes) {
  const Accepted accepted = check_lease(find_job(database, submission_id, attempt), lease);
  if (accepted == Accepted::yes) lose(database, submission_id, attempt, why, now_ms, changes);
  return accepted;
}

void recover(Database& database, const std::string& gone_worker, int64_t now_ms,
             std::vector<Change>& changes) {
  const Rows rows = database.run(
      "SELECT submission_id, attempt, worker FROM jobs WHERE state = 'leased' AND (lease_until_ms < ? OR (? <> '' AND "
      "substr(worker, 1, length(?)) = ?))",
      {now_ms, gone_worker, gone_worker, gone_worker});
  for (const Row& row : rows)
    lose(
        database, row.number(0), static_cast<int>(row.number(1)),
        fmt::format("the worker {} ended or did not answer for {} s", row.text(2), kLeaseMs / 1000),
        now_ms, changes);
}

int64_t queue_position(Database& database, int64_t submission_id) {
  return number_from(
             database,
             "SELECT count(*) FROM jobs other JOIN jobs own ON own.submission_id = ? AND own.state = 'waiting' "
             "WHERE other.state = 'waiting' AND other.regrade_id IS NULL AND (other.queued_ms < own.queued_ms "
             "OR (other.queued_ms = own.queued_ms AND other.submission_id < own.submission_id))",
             {submission_id})
      .value_or(0);
}

}  // namespace ridge::leaderboard
