// Reads and writes classes, people and assignments.
#include "leaderboard/classes/records.h"

#include <fmt/format.h>

#include "leaderboard/jobs/targets.h"
#include "leaderboard/store/events.h"

namespace ridge::leaderboard {

namespace {

constexpr const char* kPeople =
    "SELECT id, class_id, role, name, email, student_number, section, nickname, anonymous, joined_ms FROM people ";
constexpr const char* kAssignments =
    "SELECT id, class_id, name, title, engine, points, due_ms, hidden_until_ms, late_percent_per_day, late_days, "
    "frozen_ms, further_targets FROM assignments ";

Person person_of(const Row& row) {
  return {row.number(0), row.number(1), row.text(2), row.text(3),        row.text(4),
          row.text(5),   row.text(6),   row.text(7), row.number(8) != 0, row.number_if_any(9)};
}

Assignment assignment_of(Database& database, const Row& row) {
  Assignment assignment;
  assignment.id = row.number(0);
  assignment.class_id = row.number(1);
  assignment.name = row.text(2);
  assignment.title = row.text(3);
  assignment.engine = row.text(4);
  assignment.points = row.real(5);
  assignment.due_ms = row.number(6);
  assignment.hidden_until_ms = row.number(7);
  assignment.late_percent_per_day = row.real(8);
  assignment.late_days = static_cast<int>(row.number(9));
  assignment.frozen_ms = row.number_if_any(10);
  assignment.further_targets = split_targets(row.text(11));
  for (const Row& rung : database.run(
           "SELECT rung, weight FROM assignment_rungs WHERE assignment_id = ? ORDER BY position",
           {assignment.id}))
    assignment.rungs.push_back({rung.text(0), rung.real(1)});
  return assignment;
}

std::optional<Assignment> first_assignment(Database& database, const std::string& where,
                                           const Values& values) {
  const Rows rows = database.run(kAssignments + where, values);
  return rows.empty() ? std::nullopt : std::optional(assignment_of(database, rows[0]));
}

std::optional<ClassRecord> first_class(Database& database, const std::string& where,
                                       const Value& value) {
  const Rows rows = database.run(
      "SELECT id, name, title, time_zone, counts, public_board FROM classes WHERE " + where,
      {value});
  if (rows.empty()) return std::nullopt;
  const Row& row = rows[0];
  return ClassRecord{row.number(0), row.text(1), row.text(2),
                     row.text(3),   row.text(4), row.number(5) != 0};
}

}  // namespace

std::string Person::shown_name() const {
  return anonymous || nickname.empty() ? fmt::format("anonymous {}", id) : nickname;
}

std::optional<ClassRecord> find_class(Database& database, const std::string& name) {
  return first_class(database, "name = ?", name);
}

std::optional<ClassRecord> find_class(Database& database, int64_t id) {
  return first_class(database, "id = ?", id);
}

std::optional<Person> find_person(Database& database, int64_t id) {
  const Rows rows =
      database.run(std::string(kPeople) + "WHERE id = ? AND deleted_ms IS NULL", {id});
  return rows.empty() ? std::nullopt : std::optional(person_of(rows[0]));
}

std::vector<Person> students_of(Database& database, int64_t class_id) {
  std::vector<Person> students;
  for (const Row& row : database.run(
           std::string(kPeople) +
               "WHERE class_id = ? AND role = 'student' AND deleted_ms IS NULL ORDER BY name, id",
           {class_id}))
    students.push_back(person_of(row));
  return students;
}

int64_t count_students(Database& database, int64_t class_id) {
  return number_from(
             database,
             "SELECT count(*) FROM people WHERE class_id = ? AND role = 'student' AND deleted_ms IS NULL",
             {class_id})
      .value_or(0);
}

std::optional<Assignment> find_assignment(Database& database, int64_t class_id,
                                          const std::string& name) {
  return first_assignment(database, "WHERE class_id = ? AND name = ?", {class_id, name});
}

std::optional<Assignment> find_assignment(Database& database, int64_t id) {
  return first_assignment(database, "WHERE id = ?", {id});
}

std::vector<Assignment> assignments_of(Database& database, int64_t class_id) {
  std::vector<Assignment> assignments;
  for (const Row& row : database.run(
           std::string(kAssignments) + "WHERE class_id = ? ORDER BY due_ms, id", {class_id}))
    assignments.push_back(assignment_of(database, row));
  return assignments;
}

std::vector<std::string> targets_of(const AssignmentSpec& assignment) {
  std::vector<std::string> targets = assignment.further_targets;
  targets.insert(targets.begin(), assignment.engine);
  return targets;
}

int64_t due_for(Database& database, const Assignment& assignment, int64_t person_id) {
  return number_from(database,
                     "SELECT due_ms FROM extensions WHERE assignment_id = ? AND person_id = ?",
                     {assignment.id, person_id})
      .value_or(assignment.due_ms);
}

int64_t save_assignment(Database& database, int64_t class_id, const AssignmentSpec& spec) {
  const int64_t id =
      database
          .run(
              "INSERT INTO assignments (class_id, name, title, engine, points, due_ms, hidden_until_ms, "
              "late_percent_per_day, late_days, further_targets) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (class_id, name) DO "
              "UPDATE SET title = excluded.title, engine = excluded.engine, points = excluded.points, due_ms = "
              "excluded.due_ms, hidden_until_ms = excluded.hidden_until_ms, late_percent_per_day = "
              "excluded.late_percent_per_day, late_days = excluded.late_days, further_targets = excluded.further_targets "
              "RETURNING id",
              {class_id, spec.name, spec.title, spec.engine, spec.points, spec.due_ms,
               spec.hidden_until_ms, spec.late_percent_per_day, int64_t{spec.late_days},
               joined_targets(spec.further_targets)})[0]
          .number(0);
  database.run("DELETE FROM assignment_rungs WHERE assignment_id = ?", {id});
  for (size_t i = 0; i < spec.rungs.size(); ++i)
    database.run(
        "INSERT INTO assignment_rungs (assignment_id, position, rung, weight) VALUES (?, ?, ?, ?)",
        {id, static_cast<int64_t>(i), spec.rungs[i].rung, spec.rungs[i].weight});
  return id;
}

int64_t create_or_update_class(Database& database, const ClassSpec& spec, int64_t now_ms) {
  const bool fresh = !find_class(database, spec.name);
  const int64_t id =
      database
          .run(
              "INSERT INTO classes (name, title, time_zone, counts, public_board) VALUES (?, ?, ?, ?, ?) ON CONFLICT "
              "(name) DO UPDATE SET title = excluded.title, time_zone = excluded.time_zone, counts = excluded.counts, "
              "public_board = excluded.public_board RETURNING id",
              {spec.name, spec.title, spec.time_zone, spec.counts, int64_t{spec.public_board}})[0]
          .number(0);
  if (fresh) log_event(database, {now_ms, id, "class.created", "server", 0, 0, spec.name});
  for (const InstructorSpec& person : spec.instructors)
    if (!number_from(
            database,
            "SELECT id FROM people WHERE class_id = ? AND email = ? AND deleted_ms IS NULL",
            {id, person.email}))
      database.run(
          "INSERT INTO people (class_id, role, name, email, created_ms) VALUES (?, 'instructor', ?, ?, ?)",
          {id, person.name, person.email, now_ms});
  for (const AssignmentSpec& assignment : spec.assignments)
    if (!find_assignment(database, id, assignment.name)) {
      save_assignment(database, id, assignment);
      log_event(database, {now_ms, id, "assignment.created", "server", 0, 0, assignment.name});
    }
  return id;
}

}  // namespace ridge::leaderboard
