// Computes points from grades.
#include "leaderboard/classes/gradebook.h"

#include <algorithm>
#include <tuple>

#include "leaderboard/access/tokens.h"

namespace ridge::leaderboard {

namespace {

// True when `candidate`, which was handed in later, replaces `present`.
bool replaces(const RungScore& candidate, const RungScore& present, const std::string& counts) {
  if (counts == "last") return true;
  if (counts == "chosen" && candidate.submission.chosen != present.submission.chosen)
    return candidate.submission.chosen;
  const auto merit = [](const RungScore& score) {
    return std::tuple(score.value(), score.share, score.submission.figure.value_or(-1));
  };
  return merit(candidate) > merit(present);
}

}  // namespace

bool is_pass(const std::string& verdict) {
  return verdict == "PASS" || verdict == "GOLD";
}

double share_of(const std::string& verdict) {
  return is_pass(verdict) ? 1 : verdict == "SLOW" ? 0.5 : 0;
}

double late_factor(const AssignmentSpec& assignment, int64_t due_ms, int64_t received_ms) {
  if (received_ms <= due_ms) return 1;
  const int64_t days = (received_ms - due_ms + kDayMs - 1) / kDayMs;
  if (days > assignment.late_days) return 0;
  return std::max(0.0, 1 - assignment.late_percent_per_day * static_cast<double>(days) / 100);
}

std::vector<GradedSubmission> graded_submissions(Database& database, int64_t assignment_id,
                                                 Grades which, int64_t person_id) {
  std::vector<GradedSubmission> graded;
  Values values = {assignment_id};
  if (person_id) values.push_back(person_id);
  for (
      const Row& row : database.run(
          "SELECT s.id, s.person_id, s.rung, s.received_ms, s.chosen, g.verdict, g.engine, g.device, g.figure, "
          "g.accepted_ms FROM submissions s JOIN grades g ON g.submission_id = s.id AND g.in_force " +
              std::string(which == Grades::that_count ? "= 1 " : "IN (1, 2) ") +
              "JOIN people p ON p.id = s.person_id AND p.deleted_ms IS NULL "
              "WHERE s.assignment_id = ? AND s.invalid_reason IS NULL " +
              std::string(person_id ? "AND s.person_id = ? " : "") + "ORDER BY s.id",
          values))
    graded.push_back({row.number(0), row.number(1), row.text(2), row.number(3), row.number(4) != 0,
                      row.text(5), row.text(6), row.text(7), row.real_if_any(8), row.number(9)});
  return graded;
}

std::map<int64_t, StudentScore> scores_of(Database& database, const Assignment& assignment,
                                          const std::string& counts, int64_t person_id) {
  std::map<int64_t, int64_t> extended;
  for (const Row& row : database.run(
           "SELECT person_id, due_ms FROM extensions WHERE assignment_id = ?", {assignment.id}))
    extended[row.number(0)] = row.number(1);
  std::map<int64_t, StudentScore> scores;
  for (GradedSubmission& submission :
       graded_submissions(database, assignment.id, Grades::that_count, person_id)) {
    StudentScore& student = scores[submission.person_id];
    student.person_id = submission.person_id;
    const auto due = extended.find(submission.person_id);
    RungScore score;
    score.share = share_of(submission.verdict);
    score.late_factor =
        late_factor(assignment, due == extended.end() ? assignment.due_ms : due->second,
                    submission.received_ms);
    const std::string rung = submission.rung;
    score.submission = std::move(submission);
    const auto [present, fresh] = student.rungs.try_emplace(rung, score);
    if (!fresh && replaces(score, present->second, counts)) present->second = score;
  }
  double weights = 0;
  for (const RungWeight& rung : assignment.rungs)
    weights += rung.weight;
  for (auto& [person, student] : scores)
    for (const RungWeight& rung : assignment.rungs)
      if (const auto found = student.rungs.find(rung.rung); found != student.rungs.end())
        student.points += assignment.points * rung.weight / weights * found->second.value();
  return scores;
}

}  // namespace ridge::leaderboard
