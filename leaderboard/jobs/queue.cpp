// The queue in the database.
#include "leaderboard/jobs/queue.h"

#include <fmt/format.h>

#include "leaderboard/access/secrets.h"
#include "leaderboard/access/tokens.h"
#include "leaderboard/store/events.h"

namespace ridge::leaderboard {

namespace {

// Values of grades.in_force.
constexpr int64_t kCounts = 1, kOnBoards = 2;

struct OpenJob {
  std::string state, lease_hash, worker, target;
  std::optional<int64_t> regrade_id;
  bool further = false;
};

std::optional<OpenJob> find_job(Database& database, int64_t submission_id, int attempt) {
  const Rows rows = database.run(
      "SELECT state, lease_hash, worker, target, regrade_id, further FROM jobs WHERE submission_id = ? AND attempt = ?",
      {submission_id, int64_t{attempt}});
  if (rows.empty()) return std::nullopt;
  return OpenJob{rows[0].text(0), rows[0].text(1),          rows[0].text(2),
                 rows[0].text(3), rows[0].number_if_any(4), rows[0].number(5) != 0};
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

// The attempt ended without a result: another follows or, after too many, the submission has
// failed.
void lose(Database& database, int64_t submission_id, int attempt, const std::string& why,
          int64_t now_ms, std::vector<Change>& changes) {
  database.run("UPDATE jobs SET state = 'lost' WHERE submission_id = ? AND attempt = ?",
               {submission_id, int64_t{attempt}});
  const Rows rows = database.run(
      "SELECT regrade_id, seed, queued_ms, target, further, (SELECT count(*) FROM jobs other WHERE other.submission_id = "
      "jobs.submission_id AND other.target = jobs.target AND other.state = 'lost' AND other.attempt > coalesce((SELECT "
      "max(attempt) FROM jobs done WHERE done.submission_id = jobs.submission_id AND done.target = jobs.target AND done.state "
      "= 'done'), 0)) FROM jobs WHERE submission_id = ? AND attempt = ?",
      {submission_id, int64_t{attempt}});
  const Row& row = rows.at(0);
  const bool again = row.number(5) < kMostAttempts;
  if (again)
    database.run(
        "INSERT INTO jobs (submission_id, attempt, regrade_id, state, seed, queued_ms, target, further) SELECT ?, "
        "max(attempt) + 1, ?, 'waiting', ?, ?, ?, ? FROM jobs WHERE submission_id = ?",
        {submission_id, value_of(row.number_if_any(0)), row.text(1), row.number(2), row.text(3),
         row.number(4), submission_id});
  if (row.is_null(0) && row.number(4) == 0)
    database.run("UPDATE submissions SET state = ? WHERE id = ?",
                 {std::string(again ? "queued" : "failed"), submission_id});
  const Change change = change_of(database, submission_id, false);
  log_for(database, change, again ? "attempt.lost" : "submission.failed", "server",
          fmt::format("attempt {}: {}", attempt, why), now_ms);
  changes.push_back(change);
}

WaitingJob waiting_job(const Row& row) {
  return {row.number(0), row.number(1), static_cast<int>(row.number(2)), row.text(3)};
}

Job lease(Database& database, const WaitingJob& waiting, const Grader& grader, int64_t now_ms,
          std::vector<Change>& changes) {
  const Row row = database.run(
      "SELECT j.seed, s.rung, s.files, j.regrade_id, j.further FROM jobs j JOIN submissions s ON s.id = j.submission_id "
      "WHERE j.submission_id = ? AND j.attempt = ?",
      {waiting.submission_id, int64_t{waiting.attempt}})[0];
  Job job{waiting.submission_id, waiting.attempt, row.text(1), waiting.target,
          row.text(0),           row.text(2),     new_secret()};
  const bool on_gpu = engine_of(waiting.target) == "gpu";
  database.run(
      "UPDATE jobs SET state = 'leased', worker = ?, device = ?, lease_hash = ?, lease_until_ms = ?, progress = '' WHERE "
      "submission_id = ? AND attempt = ?",
      {grader.name, on_gpu ? grader.device_id : "", hash_of_secret(job.lease), now_ms + kLeaseMs,
       job.submission_id, int64_t{job.attempt}});
  if (row.is_null(3) && row.number(4) == 0)
    database.run("UPDATE submissions SET state = 'running' WHERE id = ?", {job.submission_id});
  changes.push_back(change_of(database, job.submission_id, false));
  log_for(database, changes.back(), "attempt.leased", "worker " + grader.name,
          fmt::format("attempt {}", job.attempt), now_ms);
  return job;
}

}  // namespace

void enqueue(Database& database, int64_t submission_id, const std::vector<std::string>& targets,
             int64_t now_ms) {
  const std::string seed = random_seed();
  for (size_t i = 0; i < targets.size(); ++i)
    database.run(
        "INSERT INTO jobs (submission_id, attempt, state, seed, queued_ms, target, further) VALUES (?, ?, 'waiting', ?, ?, ?, ?)",
        {submission_id, static_cast<int64_t>(i) + 1, seed, now_ms, targets[i], int64_t{i > 0}});
}

std::optional<Job> lease_next(Database& database, const Grader& grader, int64_t now_ms,
                              std::vector<Change>& changes) {
  recover(database, "", now_ms, changes);
  const bool gpu_is_busy =
      !grader.device_id.empty() &&
      number_from(database, "SELECT count(*) FROM jobs WHERE state = 'leased' AND device = ?",
                  {grader.device_id})
              .value_or(0) > 0;
  const auto can = [&](const std::string& target) {
    return can_grade(grader, target) && !(gpu_is_busy && engine_of(target) == "gpu");
  };
  const std::optional<WaitingJob> next = next_waiting(database, can, grader.class_id);
  if (!next) return std::nullopt;
  return lease(database, *next, grader, now_ms, changes);
}

void lose_placed(Database& database, const std::string& name, const std::string& why,
                 int64_t now_ms, std::vector<Change>& changes) {
  for (
      const Row& row : database.run(
          "SELECT submission_id, attempt FROM jobs WHERE placed = ? AND state IN ('waiting', 'leased')",
          {name}))
    lose(database, row.number(0), static_cast<int>(row.number(1)), why, now_ms, changes);
}

std::optional<Job> claim(Database& database, int64_t token_id, const Grader& grader, int64_t now_ms,
                         std::vector<Change>& changes) {
  const Rows rows = database.run(
      "SELECT j.submission_id, s.class_id, j.attempt, j.target FROM jobs j JOIN submissions s ON s.id = j.submission_id "
      "WHERE j.token_id = ? AND j.state = 'waiting'",
      {token_id});
  if (rows.empty()) return std::nullopt;
  const WaitingJob waiting = waiting_job(rows[0]);
  if (!can_grade(grader, waiting.target)) return std::nullopt;
  return lease(database, waiting, grader, now_ms, changes);
}

std::optional<WaitingJob> next_waiting(Database& database,
                                       const std::function<bool(const std::string&)>& can,
                                       int64_t class_id) {
  Values values;
  std::string places;
  for (const Row& row :
       database.run("SELECT DISTINCT target FROM jobs WHERE state = 'waiting' AND placed = ''")) {
    if (!can(row.text(0))) continue;
    values.push_back(row.text(0));
    places += places.empty() ? "?" : ", ?";
  }
  if (values.empty()) return std::nullopt;
  std::string of_class;
  if (class_id) {
    of_class = "AND s.class_id = ? ";
    values.push_back(class_id);
  }
  const Rows rows = database.run(
      fmt::format(
          "SELECT j.submission_id, s.class_id, j.attempt, j.target FROM jobs j JOIN submissions s ON s.id = j.submission_id "
          "WHERE j.state = 'waiting' AND j.placed = '' AND j.target IN ({}) {}AND NOT EXISTS (SELECT 1 FROM jobs r JOIN "
          "submissions running ON running.id = r.submission_id WHERE r.state IN ('waiting', 'leased') AND (r.state = 'leased' "
          "OR r.placed <> '') AND r.target = j.target AND running.person_id = s.person_id) ORDER BY j.regrade_id IS NOT NULL, "
          "j.further, j.queued_ms, j.submission_id LIMIT 1",
          places, of_class),
      values);
  return rows.empty() ? std::nullopt : std::optional(waiting_job(rows[0]));
}

void place(Database& database, const WaitingJob& job, const std::string& name, int64_t token_id,
           int64_t now_ms) {
  database.run(
      "UPDATE jobs SET placed = ?, placed_ms = ?, token_id = ? WHERE submission_id = ? AND attempt = ?",
      {name, now_ms, token_id, job.submission_id, int64_t{job.attempt}});
}

void take_back(Database& database, const std::string& name, int64_t now_ms) {
  const auto token = number_from(
      database, "SELECT token_id FROM jobs WHERE placed = ? AND state = 'waiting'", {name});
  if (!token) return;
  revoke_token(database, *token, now_ms);
  database.run("UPDATE jobs SET placed = '', placed_ms = 0, token_id = NULL WHERE placed = ?",
               {name});
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
  // The grade of a regrade counts once it is applied.
  const bool counts = !job->regrade_id && !job->further;
  const int64_t in_force = counts ? kCounts : job->further ? kOnBoards : 0;
  if (in_force)
    database.run(
        "UPDATE grades SET in_force = 0 WHERE submission_id = ? AND in_force = ? AND (in_force = 1 OR target = ?)",
        {submission_id, in_force, job->target});
  database.run(
      "INSERT INTO grades (submission_id, attempt, regrade_id, in_force, verdict, engine, device, figure, summary, "
      "next, result, seed, seconds, accepted_ms, target) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {submission_id, int64_t{attempt}, value_of(job->regrade_id), in_force, grade.verdict,
       grade.engine, grade.device, value_of(grade.figure), grade.summary, grade.next, grade.result,
       grade.seed, grade.seconds, now_ms, job->target});
  database.run("UPDATE jobs SET state = 'done' WHERE submission_id = ? AND attempt = ?",
               {submission_id, int64_t{attempt}});
  if (counts) database.run("UPDATE submissions SET state = 'graded' WHERE id = ?", {submission_id});
  changes.push_back(change_of(database, submission_id, in_force != 0));
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
             "AND own.further = 0 WHERE other.state = 'waiting' AND other.regrade_id IS NULL AND other.further = 0 AND (other.queued_ms < own.queued_ms "
             "OR (other.queued_ms = own.queued_ms AND other.submission_id < own.submission_id))",
             {submission_id})
      .value_or(0);
}

}  // namespace ridge::leaderboard
