// The instructor's assignments: deadlines, extensions, freezing, stuck students, similarity, the
// log.
#include <fmt/format.h>

#include "leaderboard/api/handlers.h"
#include "leaderboard/boards/stuck.h"
#include "leaderboard/classes/gradebook.h"
#include "leaderboard/classes/local_time.h"
#include "leaderboard/classes/similarity.h"
#include "text/whole_file.h"

namespace ridge::leaderboard::handlers {

namespace {

using nlohmann::json;

int64_t time_in(const Call& call, const char* key) {
  const std::string text = call.text(key);
  if (text.empty()) return 0;
  try {
    return utc_ms_of(text, call.owner->time_zone);
  } catch (const std::runtime_error& error) {
    throw ApiError{422, error.what()};
  }
}

double number_in(const Call& call, const char* key, double otherwise, double least, double most) {
  const auto found = call.body.find(key);
  if (found == call.body.end() || found->is_null()) return otherwise;
  if (!found->is_number() || *found < least || *found > most)
    throw ApiError{422, fmt::format("\"{}\" must be a number from {} to {}", key, least, most)};
  return *found;
}

std::vector<RungWeight> rungs_in(const Call& call) {
  std::vector<RungWeight> rungs;
  const auto list = call.body.find("rungs");
  if (list == call.body.end() || !list->is_array())
    throw ApiError{422, "\"rungs\" must be a list of {path, weight}"};
  for (const json& entry : *list) {
    const std::string name = entry.is_string()   ? entry.get<std::string>()
                             : entry.is_object() ? entry.value("path", "")
                                                 : "";
    const json weight = entry.is_object() ? entry.value("weight", json(1.0)) : json(1.0);
    if (!weight.is_number() || weight <= 0 || weight > 1000)
      throw ApiError{422, "a weight must be above 0"};
    try {
      for (const course::Rung* rung : course::find(call.app.course(), name))
        rungs.push_back({rung->path(), weight});
    } catch (const course::CourseError& error) {
      throw ApiError{422, error.what()};
    }
  }
  if (rungs.empty()) throw ApiError{422, "an assignment needs a rung", "Name one, such as 02/4."};
  return rungs;
}

// "engine": one target, or a list whose first target counts.
void fill_targets(const Call& call, AssignmentSpec& spec) {
  const auto field = call.body.find("engine");
  if (field == call.body.end()) return;
  std::vector<std::string> targets;
  for (const json& one : field->is_array() ? *field : json::array({*field}))
    targets.push_back(one.is_string() ? one.get<std::string>() : "");
  if (const std::string complaint = complaint_about_targets(targets); !complaint.empty())
    throw ApiError{422, complaint};
  spec.engine = targets.front();
  spec.further_targets = {targets.begin() + 1, targets.end()};
}

void fill(const Call& call, AssignmentSpec& spec) {
  if (call.body.contains("title")) spec.title = call.needed_text("title");
  fill_targets(call, spec);
  if (call.body.contains("due")) spec.due_ms = time_in(call, "due");
  if (spec.due_ms == 0)
    throw ApiError{422, "\"due\" is missing",
                   "Write it as 2027-03-01 18:00, in the class's time zone."};
  if (call.body.contains("hidden_until")) spec.hidden_until_ms = time_in(call, "hidden_until");
  if (call.body.contains("rungs")) spec.rungs = rungs_in(call);
  spec.points = number_in(call, "points", spec.points, 0.001, 100'000);
  spec.late_percent_per_day =
      number_in(call, "late_percent_per_day", spec.late_percent_per_day, 0, 100);
  spec.late_days = static_cast<int>(number_in(call, "late_days", spec.late_days, 0, 365));
}

void saved(Call& call, const AssignmentSpec& spec, const char* kind) {
  const int64_t id = save_assignment(call.database, call.owner->id, spec);
  call.log(kind,
           fmt::format("{}: due {}", spec.name, local_text(spec.due_ms, call.owner->time_zone)));
  call.changes.push_back({call.owner->id, 0, 0, id, true});
}

std::string all_text(const std::string& files) {
  std::string text;
  const json list = json::parse(files, nullptr, false);
  for (const json& file : list.is_array() ? list : json::array())
    text += file.value("text", "") + "\n";
  return text;
}

}  // namespace

Response create_assignment(Call& call) {
  AssignmentSpec spec;
  spec.name = call.needed_text("name");
  if (!is_plain_name(spec.name))
    throw ApiError{422, "a name has letters, digits, - and _, at most 40"};
  if (find_assignment(call.database, call.owner->id, spec.name))
    throw ApiError{409, fmt::format("there is an assignment \"{}\" already", spec.name)};
  spec.title = spec.name;
  spec.rungs = rungs_in(call);
  fill(call, spec);
  saved(call, spec, "assignment.created");
  return json_response({{"assignment", spec.name}}, 201);
}

Response change_assignment(Call& call) {
  AssignmentSpec spec = *call.assignment;
  fill(call, spec);
  saved(call, spec, "assignment.changed");
  return json_response({{"assignment", spec.name}});
}

// {"frozen": true}: only instructors see changes of the board until it is false again.
Response freeze_board(Call& call) {
  const bool frozen = call.body.value("frozen", true);
  call.database.run("UPDATE assignments SET frozen_ms = ? WHERE id = ?",
                    {frozen ? Value(call.now_ms) : Value(nullptr), call.assignment->id});
  call.log(frozen ? "board.frozen" : "board.thawed", call.assignment->name);
  call.changes.push_back({call.owner->id, 0, 0, call.assignment->id, true});
  return json_response({{"frozen", frozen}});
}

// {"due", "reason"}; an empty due removes the extension.
Response extend_deadline(Call& call) {
  const int64_t due_ms = time_in(call, "due");
  const std::string reason = due_ms ? call.needed_text("reason", 500) : "";
  call.database.run("DELETE FROM extensions WHERE assignment_id = ? AND person_id = ?",
                    {call.assignment->id, call.student->id});
  if (due_ms)
    call.database.run(
        "INSERT INTO extensions (assignment_id, person_id, due_ms, reason) VALUES (?, ?, ?, ?)",
        {call.assignment->id, call.student->id, due_ms, reason});
  call.log("deadline.extended",
           due_ms ? fmt::format("{} to {}: {}", call.assignment->name,
                                local_text(due_ms, call.owner->time_zone), reason)
                  : fmt::format("{}: taken back", call.assignment->name),
           0, call.student->id);
  call.changes.push_back({call.owner->id, 0, call.student->id, call.assignment->id, true});
  return json_response({{"due", due_ms ? local_text(due_ms, call.owner->time_zone) : ""}});
}

Response show_stuck(Call& call) {
  const int64_t class_id = call.owner->id;
  return call.app.class_text(fmt::format("stuck {}", class_id), call.app.changed(class_id),
                             [class_id] { return std::make_unique<StuckStudents>(class_id); });
}

// Compares the last submission of every student per rung.
Response show_similarity(Call& call) {
  json shown = json::array();
  for (const RungWeight& wanted : call.assignment->rungs) {
    const Rows rows = call.database.run(
        "SELECT s.person_id, s.id, s.files, p.name FROM submissions s JOIN people p ON p.id = s.person_id AND p.deleted_ms IS NULL "
        "WHERE s.id IN (SELECT max(id) FROM submissions WHERE assignment_id = ? AND rung = ? GROUP BY person_id)",
        {call.assignment->id, wanted.rung});
    std::vector<SimilaritySource> sources;
    for (const Row& row : rows)
      sources.push_back({row.number(0), row.number(1), all_text(row.text(2))});
    std::vector<std::string> given;
    for (const course::Rung* rung : course::find(call.app.course(), wanted.rung))
      given = {text::read_file(rung->skeleton), text::read_file(rung->solution)};
    for (const SimilarPair& pair : similar_pairs(sources, given, 50)) {
      const auto side = [&](size_t i) {
        return json{{"submission", sources[i].submission_id},
                    {"student", {{"id", sources[i].person_id}, {"name", rows[i].text(3)}}}};
      };
      shown.push_back({{"rung", wanted.rung},
                       {"percent", pair.percent},
                       {"shared", pair.shared},
                       {"first", side(pair.first)},
                       {"second", side(pair.second)}});
      if (shown.size() >= 500) break;
    }
  }
  return json_response({{"pairs", shown}});
}

Response show_log(Call& call) {
  json list = json::array();
  for (
      const Row& row : call.database.run(
          "SELECT id, at_ms, kind, actor, submission_id, person_id, detail FROM events WHERE class_id = ? ORDER BY id DESC LIMIT 200",
          {call.owner->id}))
    list.push_back({{"id", row.number(0)},
                    {"at_ms", row.number(1)},
                    {"kind", row.text(2)},
                    {"actor", row.text(3)},
                    {"submission", row.is_null(4) ? json(nullptr) : json(row.number(4))},
                    {"student", row.is_null(5) ? json(nullptr) : json(row.number(5))},
                    {"detail", row.text(6)}});
  return json_response({{"events", list}});
}

}  // namespace ridge::leaderboard::handlers
