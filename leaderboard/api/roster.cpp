// The instructor's roster: students, invitations, codes and links; and the data of one student.
#include "leaderboard/classes/roster.h"

#include <fmt/format.h>

#include "leaderboard/api/handlers.h"

namespace ridge::leaderboard::handlers {

namespace {

using nlohmann::json;

constexpr int64_t kInvitationLivesMs = 30 * kDayMs, kBoardLinkLivesMs = 200 * kDayMs;

json rows_json(const Rows& rows, const std::vector<const char*>& names) {
  json list = json::array();
  for (const Row& row : rows) {
    json one = json::object();
    for (size_t i = 0; i < names.size(); ++i)
      one[names[i]] = row.is_null(i) ? json(nullptr) : json(row.text(i));
    list.push_back(std::move(one));
  }
  return list;
}

int64_t whole_number(const Call& call, const char* key, int64_t otherwise, int64_t least,
                     int64_t most) {
  const auto found = call.body.find(key);
  if (found == call.body.end()) return otherwise;
  if (!found->is_number_integer() || *found < least || *found > most)
    throw ApiError{400,
                   fmt::format("\"{}\" must be a whole number from {} to {}", key, least, most)};
  return *found;
}

}  // namespace

Response show_students(Call& call) {
  json list = json::array();
  for (
      const Row& row : call.database.run(
          "SELECT p.id, p.name, p.email, p.student_number, p.section, p.nickname, p.anonymous, p.joined_ms, count(s.id), "
          "max(s.received_ms) FROM people p LEFT JOIN submissions s ON s.person_id = p.id WHERE p.class_id = ? AND p.role = "
          "'student' AND p.deleted_ms IS NULL GROUP BY p.id ORDER BY p.name, p.id",
          {call.owner->id}))
    list.push_back({{"id", row.number(0)},
                    {"name", row.text(1)},
                    {"email", row.text(2)},
                    {"number", row.text(3)},
                    {"section", row.text(4)},
                    {"nickname", row.text(5)},
                    {"anonymous", row.number(6) != 0},
                    {"joined_ms", row.is_null(7) ? json(nullptr) : json(row.number(7))},
                    {"submissions", row.number(8)},
                    {"last_ms", row.is_null(9) ? json(nullptr) : json(row.number(9))}});
  return json_response({{"students", list}});
}

// {"csv", "apply": false}: a preview with errors by line; with errors nothing is applied.
Response import_students(Call& call) {
  const Roster roster =
      read_roster(call.body.value("csv", json("")).is_string() ? call.body.value("csv", "") : "");
  json errors = json::array();
  for (const CsvError& error : roster.errors)
    errors.push_back({{"line", error.line}, {"what", error.what}});
  json shown = {{"entries", roster.entries.size()},
                {"errors", errors},
                {"applied", false},
                {"students", json::array()}};
  if (!roster.errors.empty()) return json_response(shown, 422);
  if (!call.body.value("apply", false)) return json_response(shown);
  for (const ImportedStudent& student :
       import_roster(call.database, call.owner->id, roster, call.now_ms))
    shown["students"].push_back({{"id", student.person_id},
                                 {"name", student.entry.name},
                                 {"email", student.entry.email},
                                 {"added", student.added},
                                 {"code", student.join_code}});
  shown["applied"] = true;
  call.changes.push_back({call.owner->id, 0, 0, 0, true});  // names
  call.log("roster.imported", fmt::format("{} lines", roster.entries.size()));
  return json_response(shown);
}

Response invite_student(Call& call) {
  const IssuedToken code = issue_token(
      call.database,
      {TokenKind::join, call.owner->id, call.student->id, {}, call.now_ms, kInvitationLivesMs, 1});
  call.log("student.invited", "", 0, call.student->id);
  return json_response({{"code", code.secret},
                        {"command", fmt::format("./ridge class join {} {}",
                                                call.app.options().public_url, code.secret)}},
                       201);
}

Response revoke_student(Call& call) {
  revoke_tokens_of(call.database, call.student->id, call.now_ms);
  call.log("tokens.revoked", "", 0, call.student->id);
  return json_response({{"revoked", true}});
}

// Everything that is stored about one student, for the student.
Response export_student(Call& call) {
  Database& database = call.database;
  const Values person = {call.student->id};
  json data = {
      {"person",
       rows_json(
           database.run(
               "SELECT name, email, student_number, section, nickname, anonymous, created_ms, "
               "joined_ms FROM people WHERE id = ?",
               person),
           {"name", "email", "number", "section", "nickname", "anonymous", "created_ms",
            "joined_ms"})}};
  data["extensions"] = rows_json(
      database.run(
          "SELECT a.name, e.due_ms, e.reason FROM extensions e JOIN assignments a ON a.id = e.assignment_id "
          "WHERE e.person_id = ?",
          person),
      {"assignment", "due_ms", "reason"});
  data["submissions"] = rows_json(
      database.run(
          "SELECT id, rung, received_ms, state, invalid_reason, files FROM submissions WHERE person_id = ? ORDER BY id",
          person),
      {"id", "rung", "received_ms", "state", "invalid_reason", "files"});
  data["grades"] = rows_json(
      database.run(
          "SELECT g.submission_id, g.attempt, g.in_force, g.verdict, g.engine, g.device, g.figure, g.accepted_ms, g.result "
          "FROM grades g JOIN submissions s ON s.id = g.submission_id WHERE s.person_id = ? ORDER BY g.id",
          person),
      {"submission", "attempt", "in_force", "verdict", "engine", "device", "figure", "accepted_ms",
       "result"});
  data["hints"] = rows_json(
      database.run("SELECT rung, shown FROM hints WHERE person_id = ?", person), {"rung", "shown"});
  data["events"] = rows_json(
      database.run(
          "SELECT at_ms, kind, actor, submission_id, detail FROM events WHERE person_id = ? ORDER BY id",
          person),
      {"at_ms", "kind", "actor", "submission", "detail"});
  Response response = json_response(data);
  response.headers.emplace_back(
      "Content-Disposition",
      fmt::format("attachment; filename=\"student-{}.json\"", call.student->id));
  return response;
}

// Deletes name, address, sources and grades; only numbers remain in the log.
Response delete_student(Call& call) {
  const int64_t id = call.student->id;
  Database& database = call.database;
  revoke_tokens_of(database, id, call.now_ms);
  database.run(
      "UPDATE people SET name = '', email = '', student_number = '', section = '', nickname = '', anonymous = 1, "
      "deleted_ms = ? WHERE id = ?",
      {call.now_ms, id});
  database.run("DELETE FROM extensions WHERE person_id = ?", {id});
  database.run("DELETE FROM hints WHERE person_id = ?", {id});
  database.run(
      "DELETE FROM traces WHERE submission_id IN (SELECT id FROM submissions WHERE person_id = ?)",
      {id});
  database.run(
      "UPDATE jobs SET state = 'lost' WHERE state IN ('waiting', 'leased') AND submission_id IN (SELECT id FROM "
      "submissions WHERE person_id = ?)",
      {id});
  database.run(
      "UPDATE grades SET summary = '', next = '', result = '{}' WHERE submission_id IN (SELECT id FROM submissions "
      "WHERE person_id = ?)",
      {id});
  database.run(
      "UPDATE submissions SET files = '[]', state = CASE WHEN state = 'graded' THEN state ELSE 'failed' END WHERE "
      "person_id = ?",
      {id});
  call.log("student.deleted", "", 0, id);
  call.changes.push_back({call.owner->id, 0, id, 0, true});
  return json_response({{"deleted", id}});
}

// {"uses": 40, "hours": 72}
Response make_join_code(Call& call) {
  const int64_t uses = whole_number(call, "uses", 100, 1, 5000),
                hours = whole_number(call, "hours", 72, 1, 24 * 120);
  const IssuedToken code = issue_token(
      call.database, {TokenKind::join, call.owner->id, {}, {}, call.now_ms, hours * kHourMs, uses});
  call.log("join_code.made", fmt::format("{} uses, {} hours", uses, hours));
  return json_response({{"code", code.secret},
                        {"uses", uses},
                        {"hours", hours},
                        {"command", fmt::format("./ridge class join {} {}",
                                                call.app.options().public_url, code.secret)}},
                       201);
}

Response make_board_link(Call& call) {
  const IssuedToken token =
      issue_token(call.database,
                  {TokenKind::board, call.owner->id, {}, {}, call.now_ms, kBoardLinkLivesMs, {}});
  call.log("board_link.made", "");
  return json_response(
      {{"token", token.secret},
       {"url", fmt::format("{}/#/link/{}", call.app.options().public_url, token.secret)}},
      201);
}

Response revoke_board_links(Call& call) {
  for (const Row& row : call.database.run(
           "SELECT id FROM tokens WHERE class_id = ? AND kind = 'board' AND revoked_ms IS NULL",
           {call.owner->id}))
    revoke_token(call.database, row.number(0), call.now_ms);
  call.log("board_links.revoked", "");
  return json_response({{"revoked", true}});
}

}  // namespace ridge::leaderboard::handlers
