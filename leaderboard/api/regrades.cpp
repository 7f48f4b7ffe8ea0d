// Regrades: a dry run with its table, then the change.
#include <fmt/format.h>

#include "leaderboard/api/handlers.h"
#include "leaderboard/jobs/regrade.h"

namespace ridge::leaderboard::handlers {

namespace {

using nlohmann::json;

int64_t regrade_number(const Call& call) {
  const std::string& text = call.path.at("regrade");
  return text.size() > 15 ? 0 : std::strtoll(text.c_str(), nullptr, 10);
}

}  // namespace

// {"submission"}, {"assignment"} or nothing: the whole class.
Response begin_regrade(Call& call) {
  RegradeScope scope{call.owner->id, {}, {}};
  std::string what = "all submissions";
  if (const auto submission = call.body.find("submission"); submission != call.body.end()) {
    if (!submission->is_number_integer()) throw ApiError{400, "\"submission\" must be a number"};
    scope.submission_id = submission->get<int64_t>();
    what = fmt::format("submission {}", *scope.submission_id);
    if (!number_from(call.database, "SELECT id FROM submissions WHERE id = ? AND class_id = ?",
                     {*scope.submission_id, call.owner->id}))
      throw ApiError{404, "there is no such submission in this class"};
  } else if (const std::string name = call.text("assignment"); !name.empty()) {
    const auto assignment = find_assignment(call.database, call.owner->id, name);
    if (!assignment) throw ApiError{404, "there is no such assignment"};
    scope.assignment_id = assignment->id;
    what = "assignment " + name;
  }
  int64_t submissions = 0;
  const int64_t id = start_regrade(call.database, scope, what, call.now_ms, submissions);
  if (submissions == 0)
    throw ApiError{
        409,
        "there is nothing to regrade: no graded, valid submission that is not being graded now"};
  call.log("regrade.started", fmt::format("regrade {}: {}, {} submissions", id, what, submissions));
  return json_response({{"regrade", id}, {"submissions", submissions}}, 201);
}

Response show_regrade(Call& call) {
  const json shown = regrade_json(call.database, call.owner->id, regrade_number(call));
  if (shown.is_null()) throw ApiError{404, "there is no such regrade"};
  return json_response(shown);
}

Response list_regrades(Call& call) {
  json list = json::array();
  for (const Row& row :
       call.database.run("SELECT id FROM regrades WHERE class_id = ? ORDER BY id DESC LIMIT 20",
                         {call.owner->id})) {
    json one = regrade_json(call.database, call.owner->id, row.number(0));
    one.erase("rows");
    list.push_back(std::move(one));
  }
  return json_response({{"regrades", list}});
}

Response apply(Call& call) {
  if (!apply_regrade(call.database, call.owner->id, regrade_number(call), call.actor(), call.now_ms,
                     call.changes))
    throw ApiError{
        409, "this regrade cannot be applied: it is not there, still runs, or was applied already"};
  return json_response({{"applied", true}, {"submissions", call.changes.size()}});
}

}  // namespace ridge::leaderboard::handlers
