// Handing in, and viewing submissions.
#include <fmt/format.h>

#include <algorithm>

#include "leaderboard/access/secrets.h"
#include "leaderboard/api/handlers.h"
#include "leaderboard/classes/gradebook.h"
#include "leaderboard/classes/local_time.h"
#include "leaderboard/classes/upload.h"
#include "text/source_difference.h"

namespace ridge::leaderboard::handlers {

namespace {

using nlohmann::json;

constexpr int64_t kMostOpenPerStudent = 20, kHintsPerRung = 3;

// The number of hints that the student's `ridge` reports as shown: for the list of stuck students,
// not for grades.
void note_hints(Call& call, const std::string& rung) {
  const auto field = call.body.find("hints");
  if (field == call.body.end() || !field->is_number_integer()) return;
  const int64_t shown = std::clamp<int64_t>(field->get<int64_t>(), 0, kHintsPerRung);
  call.database.run(
      "INSERT INTO hints (person_id, rung, shown) VALUES (?, ?, ?) ON CONFLICT (person_id, rung) DO UPDATE SET shown = "
      "excluded.shown",
      {call.who.person_id, rung, shown});
}

std::vector<UploadedFile> files_in(const Call& call) {
  const auto list = call.body.find("files");
  if (list == call.body.end() || !list->is_array())
    throw ApiError{400, "\"files\" must be a list of {name, text}"};
  std::vector<UploadedFile> files;
  for (const json& entry : *list) {
    if (!entry.is_object() || !entry.contains("name") || !entry.contains("text") ||
        !entry["name"].is_string() || !entry["text"].is_string())
      throw ApiError{400, "\"files\" must be a list of {name, text}"};
    files.push_back({entry["name"], entry["text"]});
  }
  return files;
}

// The assignment with the rung: the open one that is due next, otherwise the last one.
Assignment assignment_for(Call& call, const std::string& rung, const std::string& name) {
  std::optional<Assignment> found;
  for (Assignment& assignment : assignments_of(call.database, call.owner->id)) {
    if (assignment.hidden_until_ms > call.now_ms || (!name.empty() && assignment.name != name))
      continue;
    for (const RungWeight& one : assignment.rungs)
      if (one.rung == rung &&
          (!found || due_for(call.database, *found, call.who.person_id) < call.now_ms))
        found = assignment;
  }
  if (!found)
    throw ApiError{404, fmt::format("no open assignment of this class has the rung {}", rung),
                   "`ridge class status` lists the assignments."};
  return *found;
}

json events_of(Call& call) {
  json events = json::array();
  for (const Row& row : call.database.run(
           "SELECT at_ms, kind, detail FROM events WHERE submission_id = ? ORDER BY id",
           {call.submission_id}))
    events.push_back({{"at_ms", row.number(0)}, {"kind", row.text(1)}, {"detail", row.text(2)}});
  return events;
}

// For the targets other than the one that counts: the newest attempt of each, and its grade.
json further_grades(Call& call) {
  json list = json::array();
  for (
      const Row& row : call.database.run(
          "SELECT j.target, j.state, g.verdict, g.device, g.figure FROM jobs j LEFT JOIN grades g ON g.submission_id = "
          "j.submission_id AND g.attempt = j.attempt WHERE j.submission_id = ? AND j.further = 1 AND j.attempt = (SELECT "
          "max(attempt) FROM jobs newer WHERE newer.submission_id = j.submission_id AND newer.target = j.target) ORDER BY "
          "j.target",
          {call.submission_id})) {
    list.push_back({{"target", words_for(row.text(0))},
                    {"state", row.text(1)},
                    {"verdict", row.text(2)},
                    {"device", row.text(3)},
                    {"figure", number_or_null(row.real_if_any(4))}});
  }
  return list;
}

std::string main_text(const std::string& files) {
  const json list = json::parse(files, nullptr, false);
  std::string text;
  for (const json& file : list.is_array() ? list : json::array())
    text += list.size() == 1
                ? file.value("text", "")
                : fmt::format("// {}\n{}\n", file.value("name", ""), file.value("text", ""));
  return text;
}

}  // namespace

// {"rung", "files": [{"name", "text"}], "assignment"?, "hints"?}
Response submit(Call& call) {
  if (const int seconds =
          call.app.submit_limit().take(std::to_string(call.who.person_id), call.now_ms))
    throw ApiError{429, "too many submissions in a minute",
                   fmt::format("Hand in again in {} s.", seconds), seconds};
  const std::string rung = call.needed_text("rung");
  const std::vector<UploadedFile> files = files_in(call);
  if (const std::string complaint = complaint_about_upload(files); !complaint.empty())
    throw ApiError{422, complaint};
  const Assignment assignment = assignment_for(call, rung, call.text("assignment"));
  const int64_t open =
      number_from(
          call.database,
          "SELECT count(*) FROM submissions WHERE person_id = ? AND state IN ('queued', 'running')",
          {call.who.person_id})
          .value_or(0);
  if (open >= kMostOpenPerStudent)
    throw ApiError{429, fmt::format("{} of your submissions wait to be graded", open),
                   "Hand in again when one was graded.", 10};
  json stored = json::array();
  for (const UploadedFile& file : files)
    stored.push_back({{"name", file.name}, {"text", file.text}});
  const int64_t id =
      call.database
          .run(
              "INSERT INTO submissions (class_id, assignment_id, person_id, rung, files, received_ms, state) "
              "VALUES (?, ?, ?, ?, ?, ?, 'queued') RETURNING id",
              {call.owner->id, assignment.id, call.who.person_id, rung, dumped(stored),
               call.now_ms})[0]
          .number(0);
  enqueue(call.database, id, targets_of(assignment), call.now_ms);
  note_hints(call, rung);
  call.log("submission.received", rung, id, call.who.person_id);
  call.changes.push_back({call.owner->id, id, call.who.person_id, assignment.id, false});
  const double factor =
      late_factor(assignment, due_for(call.database, assignment, call.who.person_id), call.now_ms);
  return json_response(
      {{"submission", id},
       {"assignment", assignment.name},
       {"late_factor", factor},
       {"ahead", queue_position(call.database, id)},
       {"url", fmt::format("{}/#/submission/{}", call.app.options().public_url, id)}},
      201);
}

Response show_submission(Call& call) {
  const Row row = call.database.run(
      "SELECT s.rung, s.received_ms, s.state, s.chosen, s.invalid_reason, s.files, g.verdict, g.engine, g.device, g.figure, "
      "g.summary, g.next, g.result, g.seconds, g.accepted_ms, g.attempt, j.progress, EXISTS (SELECT 1 FROM traces t WHERE "
      "t.submission_id = s.id) FROM submissions s LEFT JOIN "
      "grades g ON g.submission_id = s.id AND g.in_force = 1 LEFT JOIN jobs j ON j.submission_id = s.id AND j.state IN "
      "('waiting', 'leased') AND j.regrade_id IS NULL AND j.further = 0 WHERE s.id = ?",
      {call.submission_id})[0];
  json shown = {
      {"id", call.submission_id},
      {"student", {{"id", call.student->id}, {"name", call.student->name}}},
      {"class", call.owner->name},
      {"assignment", call.assignment->name},
      {"rung", row.text(0)},
      {"received_ms", row.number(1)},
      {"received", local_text(row.number(1), call.owner->time_zone)},
      {"state", row.text(2)},
      {"chosen", row.number(3) != 0},
      {"may_choose", call.owner->counts == "chosen"},
      {"invalid_reason", row.text(4)},
      {"files", json::parse(row.text(5), nullptr, false)},
      {"ahead", queue_position(call.database, call.submission_id)},
      {"progress", row.text(16)},
      {"trace", row.number(17) != 0},
      {"late_factor",
       late_factor(*call.assignment, due_for(call.database, *call.assignment, call.student->id),
                   row.number(1))},
      {"grade", nullptr},
      {"further", further_grades(call)},
      {"events", events_of(call)}};
  if (!row.is_null(6)) {
    shown["grade"] = {{"verdict", row.text(6)},
                      {"passed", is_pass(row.text(6))},
                      {"engine", row.text(7)},
                      {"device", row.text(8)},
                      {"figure", number_or_null(row.real_if_any(9))},
                      {"summary", row.text(10)},
                      {"next", row.text(11)},
                      {"result", json::parse(row.text(12), nullptr, false)},
                      {"seconds", row.real(13)},
                      {"accepted_ms", row.number(14)},
                      {"attempt", row.number(15)}};
  }
  return json_response(shown);
}

// A file for `ridge view`.
Response show_trace(Call& call) {
  const Rows rows =
      call.database.run("SELECT bytes FROM traces WHERE submission_id = ?", {call.submission_id});
  const auto bytes = rows.empty() ? std::nullopt : from_base64(rows[0].text(0));
  if (!bytes)
    throw ApiError{404, "there is no trace of this submission",
                   "Only the newest trace per student and rung is kept."};
  Response response{200, *bytes, "application/octet-stream"};
  response.headers.emplace_back(
      "Content-Disposition",
      fmt::format("attachment; filename=\"submission-{}.rtrace\"", call.submission_id));
  return response;
}

// The difference to the previous submission of the same rung, or to the skeleton.
Response show_diff(Call& call) {
  const Row own = call.database.run("SELECT files, rung FROM submissions WHERE id = ?",
                                    {call.submission_id})[0];
  const Rows before = call.database.run(
      "SELECT id, files FROM submissions WHERE person_id = ? AND rung = ? AND id < ? ORDER BY id DESC LIMIT 1",
      {call.student->id, own.text(1), call.submission_id});
  json shown = {{"submission", call.submission_id},
                {"before", before.empty() ? json(nullptr) : json(before[0].number(0))}};
  shown["diff"] = before.empty() ? ""
                                 : text::unified_diff(main_text(before[0].text(1)),
                                                      main_text(own.text(0)), false);
  return json_response(shown);
}

Response choose_submission(Call& call) {
  if (call.owner->counts != "chosen")
    throw ApiError{
        409, fmt::format("in this class the {} submission of a rung counts", call.owner->counts)};
  call.database.run(
      "UPDATE submissions SET chosen = 0 WHERE person_id = ? AND assignment_id = ? AND rung = (SELECT rung "
      "FROM submissions own WHERE own.id = ?)",
      {call.student->id, call.assignment->id, call.submission_id});
  call.database.run("UPDATE submissions SET chosen = 1 WHERE id = ?", {call.submission_id});
  call.log("submission.chosen", "", call.submission_id, call.student->id);
  call.changes.push_back(
      {call.owner->id, call.submission_id, call.student->id, call.assignment->id, true});
  return json_response({{"submission", call.submission_id}, {"chosen", true}});
}

// ?before=ID for older ones; returns the newest 100.
Response list_submissions(Call& call) {
  const auto before = call.request.query.find("before");
  int64_t most =
      before == call.request.query.end() ? 0 : std::strtoll(before->second.c_str(), nullptr, 10);
  if (most <= 0) most = INT64_MAX;
  json shown = json::array();
  for (
      const Row& row : call.database.run(
          "SELECT s.id, p.id, p.name, s.rung, a.name, s.received_ms, s.state, s.invalid_reason, g.verdict, g.figure FROM "
          "submissions s JOIN people p ON p.id = s.person_id JOIN assignments a ON a.id = s.assignment_id LEFT JOIN grades g "
          "ON g.submission_id = s.id AND g.in_force = 1 WHERE s.class_id = ? AND s.id < ? ORDER BY s.id DESC LIMIT 100",
          {call.owner->id, most})) {
    shown.push_back({{"id", row.number(0)},
                     {"student", {{"id", row.number(1)}, {"name", row.text(2)}}},
                     {"rung", row.text(3)},
                     {"assignment", row.text(4)},
                     {"received_ms", row.number(5)},
                     {"state", row.text(6)},
                     {"invalid_reason", row.text(7)},
                     {"verdict", row.text(8)},
                     {"figure", number_or_null(row.real_if_any(9))}});
  }
  return json_response({{"submissions", shown}});
}

// {"valid": false, "reason"} or {"valid": true}
Response invalidate(Call& call) {
  const auto valid = call.body.find("valid");
  if (valid == call.body.end() || !valid->is_boolean())
    throw ApiError{400, "\"valid\" must be true or false"};
  const std::string reason = *valid ? "" : call.needed_text("reason", 500);
  call.database.run("UPDATE submissions SET invalid_reason = ? WHERE id = ?",
                    {*valid ? Value(nullptr) : Value(reason), call.submission_id});
  call.log(*valid ? "submission.restored" : "submission.invalidated", reason, call.submission_id,
           call.student->id);
  call.changes.push_back(
      {call.owner->id, call.submission_id, call.student->id, call.assignment->id, true});
  return json_response({{"submission", call.submission_id}, {"valid", *valid}, {"reason", reason}});
}

}  // namespace ridge::leaderboard::handlers
