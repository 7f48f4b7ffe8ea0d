// The context of a request: its caller, the objects that its path names, the permission for them,
// and the fields of its body.
#include <fmt/format.h>

#include "leaderboard/api/app.h"
#include "leaderboard/store/events.h"

namespace ridge::leaderboard {

namespace {

int64_t number_of(const std::string& text) {
  if (text.empty() || text.size() > 15 || text.find_first_not_of("0123456789") != text.npos)
    return 0;
  return std::stoll(text);
}

}  // namespace

std::string cookie_in(const std::string& header, const std::string& name) {
  for (size_t at = 0; at < header.size();) {
    const size_t end = std::min(header.find(';', at), header.size());
    std::string_view pair = std::string_view(header).substr(at, end - at);
    while (pair.starts_with(' '))
      pair.remove_prefix(1);
    if (pair.starts_with(name + "=")) return std::string(pair.substr(name.size() + 1));
    at = end + 1;
  }
  return "";
}

std::string Call::text(const char* key, size_t most_bytes) const {
  const auto found = body.find(key);
  if (found == body.end() || found->is_null()) return "";
  if (!found->is_string()) throw ApiError{400, fmt::format("\"{}\" must be a text", key)};
  std::string text = found->get<std::string>();
  if (text.size() > most_bytes)
    throw ApiError{
        400, fmt::format("\"{}\" has {} bytes and may have {}", key, text.size(), most_bytes)};
  for (const unsigned char letter : text)
    if ((letter < 32 && letter != '\n' && letter != '\r' && letter != '\t') || letter == 127)
      throw ApiError{400, fmt::format("\"{}\" holds a control character", key)};
  return text;
}

std::string Call::needed_text(const char* key, size_t most_bytes) const {
  std::string found = text(key, most_bytes);
  if (found.find_first_not_of(" \t\r\n") == found.npos)
    throw ApiError{400, fmt::format("\"{}\" is missing", key), "See /api/v1/openapi.json."};
  return found;
}

std::string Call::actor() const {
  if (who.role == Role::nobody) return "somebody";
  return fmt::format("{} {}", name_of(who.role), who.person_id ? who.person_id : who.token_id);
}

void Call::log(const std::string& kind, const std::string& detail, int64_t submission,
               int64_t person) const {
  log_event(database,
            {now_ms, owner ? owner->id : who.class_id, kind, actor(), submission, person, detail});
}

Identity App::identity_of(const Request& request) {
  const std::string bearer = request.header("authorization");
  if (bearer.starts_with("Bearer ")) return identify(database_, bearer.substr(7), now_ms());
  const std::string cookie = cookie_in(request.header("cookie"), "ridge_session");
  return cookie.empty() ? Identity{} : identify_session(database_, cookie, now_ms());
}

// Finds the objects that the path names. A missing object leaves its member empty, and is reported
// only to permitted callers.
Subject App::resolve(Call& call) {
  Subject subject;
  const auto value = [&](const char* name) {
    const auto found = call.path.find(name);
    return found == call.path.end() ? std::string() : found->second;
  };
  if (call.path.contains("submission")) {
    const int64_t id = number_of(value("submission"));
    const Rows rows = database_.run(
        "SELECT s.class_id, s.person_id, s.assignment_id FROM submissions s JOIN people p ON p.id = s.person_id AND "
        "p.deleted_ms IS NULL WHERE s.id = ?",
        {id});
    if (!rows.empty()) {
      call.submission_id = id;
      call.owner = find_class(database_, rows[0].number(0));
      call.assignment = find_assignment(database_, rows[0].number(2));
      subject.person_id = rows[0].number(1);
      call.student = find_person(database_, subject.person_id);
    }
  } else if (call.path.contains("class")) {
    call.owner = find_class(database_, value("class"));
    if (call.owner && call.path.contains("assignment"))
      call.assignment = find_assignment(database_, call.owner->id, value("assignment"));
    if (call.owner && call.path.contains("student")) {
      const std::optional<Person> person = find_person(database_, number_of(value("student")));
      if (person && person->class_id == call.owner->id && person->role == "student") {
        call.student = person;
        subject.person_id = person->id;
      }
    }
  }
  if (call.owner) {
    subject.class_id = call.owner->id;
    subject.public_board = call.owner->public_board;
  }
  return subject;
}

// Throws ApiError unless the caller has permission and all objects in the path exist.
void App::check(Call& call, const Route& route) {
  const Subject subject = resolve(call);
  switch (authorize(route.access, call.who, subject)) {
    case Decision::sign_in_first:
      throw ApiError{401, "this needs a sign-in",
                     "Sign in, or send a token as `Authorization: Bearer TOKEN`."};
    case Decision::refused:
      throw ApiError{403, "you may not do this"};
    case Decision::allowed:
      break;
  }
  const auto need = [&](const char* name, bool found) {
    if (call.path.contains(name) && !found)
      throw ApiError{404, fmt::format("there is no such {}", name)};
  };
  need("class", call.owner.has_value());
  need("submission", call.submission_id != 0);
  need("assignment", call.assignment.has_value());
  need("student", call.student.has_value());
  if (call.assignment && call.who.role != Role::instructor &&
      call.assignment->hidden_until_ms > call.now_ms)
    throw ApiError{404, "there is no such assignment"};
}

}  // namespace ridge::leaderboard
