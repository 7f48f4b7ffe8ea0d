// The pages for members of a class: the class, its boards, their own history.
#include <fmt/format.h>

#include "leaderboard/api/handlers.h"
#include "leaderboard/boards/board.h"
#include "leaderboard/classes/gradebook.h"
#include "leaderboard/classes/local_time.h"

namespace ridge::leaderboard::handlers {

namespace {

using nlohmann::json;

json rung_json(const Call& call, const RungWeight& rung) {
  return {{"path", rung.rung},
          {"title", title_of_rung(call.app.course(), rung.rung)},
          {"weight", rung.weight}};
}

json assignment_json(Call& call, const Assignment& assignment) {
  const std::string& zone = call.owner->time_zone;
  json shown = {{"name", assignment.name},
                {"title", assignment.title},
                {"engine", assignment.engine},
                {"engines", targets_of(assignment)},
                {"points", assignment.points},
                {"due_ms", assignment.due_ms},
                {"due", local_text(assignment.due_ms, zone)},
                {"due_field", local_field(assignment.due_ms, zone)},
                {"late_percent_per_day", assignment.late_percent_per_day},
                {"late_days", assignment.late_days},
                {"hidden_until_ms", assignment.hidden_until_ms},
                {"hidden_until_field",
                 assignment.hidden_until_ms ? local_field(assignment.hidden_until_ms, zone) : ""},
                {"frozen", assignment.frozen_ms.has_value()},
                {"rungs", json::array()}};
  for (const RungWeight& rung : assignment.rungs)
    shown["rungs"].push_back(rung_json(call, rung));
  return shown;
}

json own_scores(Call& call, const Assignment& assignment, int64_t person_id) {
  const auto scores = scores_of(call.database, assignment, call.owner->counts, person_id);
  const auto own = scores.find(person_id);
  const int64_t due_ms = due_for(call.database, assignment, person_id);
  json shown = {{"points", own == scores.end() ? 0.0 : own->second.points},
                {"due_ms", due_ms},
                {"due", local_text(due_ms, call.owner->time_zone)},
                {"rungs", json::object()}};
  if (own != scores.end())
    for (const auto& [rung, score] : own->second.rungs)
      shown["rungs"][rung] = {{"submission", score.submission.id},
                              {"verdict", score.submission.verdict},
                              {"late_factor", score.late_factor},
                              {"value", score.value()}};
  return shown;
}

}  // namespace

Response show_class(Call& call) {
  json shown = {{"name", call.owner->name},
                {"title", call.owner->title},
                {"time_zone", call.owner->time_zone},
                {"counts", call.owner->counts},
                {"now_ms", call.now_ms},
                {"role", name_of(call.who.role)},
                {"unsafe", call.app.options().unsafe_note},
                {"assignments", json::array()}};
  const bool student = call.who.role == Role::student && call.who.class_id == call.owner->id;
  const bool instructor = call.who.role == Role::instructor && call.who.class_id == call.owner->id;
  for (const Assignment& assignment : assignments_of(call.database, call.owner->id)) {
    if (!instructor && assignment.hidden_until_ms > call.now_ms) continue;
    json one = assignment_json(call, assignment);
    if (student) one["own"] = own_scores(call, assignment, call.who.person_id);
    shown["assignments"].push_back(std::move(one));
  }
  return json_response(shown);
}

// ?names=1 for an instructor: with names, and without the freeze.
Response show_board(Call& call) {
  const bool instructor = call.who.role == Role::instructor && call.who.class_id == call.owner->id;
  const auto names = call.request.query.find("names");
  const bool with_names = instructor && names != call.request.query.end() && names->second == "1";
  App& app = call.app;
  return app.class_text(
      fmt::format("board {} {}", call.assignment->id, with_names),
      app.changed(call.owner->id, call.assignment->id),
      [&app, id = call.assignment->id, with_names] {
        return std::make_unique<Board>(
            id, app.course(),
            BoardView{with_names, app.board_salt(), app.options().unsafe_note});
      });
}

Response stream_events(Call& call) {
  Response response;
  const bool own_class = call.who.class_id == call.owner->id;
  response.stream = Subscription{call.owner->id, own_class ? call.who.person_id : 0,
                                 own_class && call.who.role == Role::instructor};
  return response;
}

// {"nickname", "anonymous"}
Response change_me(Call& call) {
  const std::string nickname = call.text("nickname", 40);
  if (nickname.find_first_of("\r\n\t") != nickname.npos)
    throw ApiError{400, "a nickname is one line"};
  call.database.run("UPDATE people SET nickname = ?, anonymous = ? WHERE id = ?",
                    {nickname, int64_t{call.body.value("anonymous", false)}, call.who.person_id});
  call.changes.push_back({call.owner->id, 0, call.who.person_id, 0, true});
  return json_response(
      {{"nickname", nickname}, {"anonymous", call.body.value("anonymous", false)}});
}

Response show_history(Call& call) {
  json shown = {{"student", {{"id", call.student->id}, {"name", call.student->shown_name()}}},
                {"assignments", json::array()},
                {"submissions", json::array()}};
  if (call.who.role == Role::instructor) shown["student"]["name"] = call.student->name;
  for (const Assignment& assignment : assignments_of(call.database, call.owner->id)) {
    if (call.who.role != Role::instructor && assignment.hidden_until_ms > call.now_ms) continue;
    json one = assignment_json(call, assignment);
    one["own"] = own_scores(call, assignment, call.student->id);
    shown["assignments"].push_back(std::move(one));
  }
  for (
      const Row& row : call.database.run(
          "SELECT s.id, s.rung, a.name, s.received_ms, s.state, s.chosen, s.invalid_reason, g.verdict, g.figure, g.engine, "
          "g.device FROM submissions s JOIN assignments a ON a.id = s.assignment_id LEFT JOIN grades g ON g.submission_id = "
          "s.id AND g.in_force = 1 WHERE s.person_id = ? ORDER BY s.id DESC LIMIT 1000",
          {call.student->id})) {
    shown["submissions"].push_back({{"id", row.number(0)},
                                    {"rung", row.text(1)},
                                    {"assignment", row.text(2)},
                                    {"received_ms", row.number(3)},
                                    {"state", row.text(4)},
                                    {"chosen", row.number(5) != 0},
                                    {"invalid_reason", row.text(6)},
                                    {"verdict", row.text(7)},
                                    {"figure", number_or_null(row.real_if_any(8))},
                                    {"engine", row.text(9)},
                                    {"device", row.text(10)}});
  }
  return json_response(shown);
}

}  // namespace ridge::leaderboard::handlers
