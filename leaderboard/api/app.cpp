// Processes a request from its route to its answer. A change runs in one transaction, and is sent
// to the streams only after the commit.
#include "leaderboard/api/app.h"

#include <fmt/format.h>

#include <chrono>

#include "harness/report/store/database.h"
#include "leaderboard/access/secrets.h"
#include "leaderboard/classes/board.h"
#include "leaderboard/store/events.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

int64_t system_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

Response error_response(const ApiError& error) {
  Response response =
      json_response({{"error", {{"what", error.what}, {"next", error.next}}}}, error.status);
  if (error.retry_after_seconds > 0)
    response.headers.emplace_back("Retry-After", std::to_string(error.retry_after_seconds));
  return response;
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    parts.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool matches(const char* pattern, const std::vector<std::string>& parts,
             std::map<std::string, std::string>& values) {
  const std::vector<std::string> wanted = parts_of(pattern);
  if (wanted.size() != parts.size()) return false;
  values.clear();
  for (size_t i = 0; i < parts.size(); ++i) {
    if (wanted[i].starts_with("{"))
      values[wanted[i].substr(1, wanted[i].size() - 2)] = parts[i];
    else if (wanted[i] != parts[i])
      return false;
  }
  return true;
}

int64_t number_of(const std::string& text) {
  if (text.empty() || text.size() > 15 || text.find_first_not_of("0123456789") != text.npos)
    return 0;
  return std::stoll(text);
}

json body_of(const Request& request) {
  if (request.body.empty()) return json::object();
  if (!request.header("content-type").starts_with("application/json"))
    throw ApiError{415, "the request's body must be JSON", "Send Content-Type: application/json."};
  json body = json::parse(request.body, nullptr, false);
  if (!body.is_object())
    throw ApiError{400, "the request's body is not a JSON object", "See /api/v1/openapi.json."};
  return body;
}

// Converts a refusal or any error to an answer.
Response answered(const std::function<Response()>& make, std::string* trouble = nullptr) {
  try {
    return make();
  } catch (const ApiError& error) {
    return error_response(error);
  } catch (const json::type_error&) {
    return error_response(
        {400, "a field of the request has the wrong type", "See /api/v1/openapi.json."});
  } catch (const UncertainError& error) {
    if (trouble) *trouble = error.what();
    return error_response({503,
                           fmt::format("it is not certain that this was stored: {}", error.what()),
                           "Look whether it is there before you try again."});
  } catch (const report::StoreError& error) {
    if (trouble) *trouble = error.what();
    return error_response({503, fmt::format("nothing was stored: {}", error.what()),
                           "The server's operator must fix this; then try again."});
  } catch (const std::exception& error) {
    return error_response(
        {500, fmt::format("the server failed: {}", error.what()), "Tell the server's operator."});
  }
}

// The secret that all servers on the database share; the first one creates it. Returns a secret of
// this server alone when the database cannot be written.
std::string shared_secret(Database& database, const std::string& name) {
  const auto stored = [&] {
    const Rows rows = database.run("SELECT value FROM settings WHERE name = ?", {name});
    return rows.empty() ? "" : rows[0].text(0);
  };
  if (const std::string found = stored(); !found.empty()) return found;
  const std::string fresh = new_secret();
  try {
    Transaction transaction(database);
    database.run("INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
                 {name, fresh});
    transaction.commit();
    return stored();
  } catch (const report::StoreError&) {
    return fresh;
  }
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

std::string session_cookie(const App& app, const std::string& secret, int64_t lives_s) {
  return fmt::format("ridge_session={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}", secret,
                     lives_s, app.options().secure_cookies ? "; Secure" : "");
}

json number_or_null(const std::optional<double>& number) {
  return number ? json(*number) : json(nullptr);
}

std::string dumped(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

Response json_response(const json& document, int status) {
  return {status, dumped(document)};
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

App::App(Database& database, const course::Course& course, AppOptions options)
    : database_(database),
      course_(course),
      options_(std::move(options)),
      board_salt_(shared_secret(database, "board_salt")),
      origin_(new_code()) {
  if (!options_.now_ms) options_.now_ms = system_ms;
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

// The caller is authorized and the objects in the path were found: another thread does the rest.
Response App::in_background(const Call& call, const Route& route) {
  const auto request = std::make_shared<const Request>(call.request);
  const auto result = std::make_shared<Response>();
  const auto kept = std::make_shared<const Call>(call.on(call.database, *request));
  Response response;
  response.background = {[kept, request, result, handler = route.handler](Database& reading) {
                           Call own = kept->on(reading, *request);
                           *result = answered([&] { return handler(own); });
                         },
                         [result] { return std::move(*result); }};
  return response;
}

Response App::answer(const Request& request, Asked& asked) {
  const std::vector<std::string> parts = parts_of(request.path);
  const Route* found = nullptr;
  std::map<std::string, std::string> values;
  bool path_known = false;
  for (const Route& route : routes()) {
    std::map<std::string, std::string> these;
    if (!matches(route.pattern, parts, these)) continue;
    path_known = true;
    if (request.method != route.method) continue;
    found = &route;
    values = std::move(these);
    break;
  }
  if (!found) {
    if (path_known) throw ApiError{405, fmt::format("{} is not for this address", request.method)};
    throw ApiError{404, "there is no such address", "See /api/v1/openapi.json."};
  }
  asked.route = found;
  const bool changes = request.method != std::string("GET");
  const Identity who = asked.who = identity_of(request);
  if (changes && who.by_cookie && who.role != Role::nobody &&
      !same_secret(request.header("x-csrf-token"), who.csrf))
    throw ApiError{403, "the request lacks the session's CSRF token",
                   "Reload the page and try again."};
  Call call{*this, database_, request, who, now_ms(), values, {}, {}, {}, 0, {}, {}};
  if (!changes) {
    check(call, *found);
    return found->slow ? in_background(call, *found) : found->handler(call);
  }
  call.body = body_of(request);
  Transaction transaction(database_);
  begun();
  check(call, *found);
  Response response = found->handler(call);
  commit(transaction, call.changes, call.durability);
  response.after_disk = call.durability == Durability::lasting;
  return response;
}

Response App::handle(const Request& request) {
  Asked asked{request.method, request.peer};
  std::string trouble;
  Response response = answered([&] { return answer(request, asked); }, &trouble);
  if (!trouble.empty()) report_trouble(trouble);
  if (!response.background) {
    finished(asked, response);
    return response;
  }
  response.background->finish = [this, asked, finish = std::move(response.background->finish)] {
    Response made = answered(finish);
    finished(asked, made);
    return made;
  };
  if (options_.in_background) return response;
  response.background->work(database_);
  return response.background->finish();
}

uint64_t App::board_version(int64_t class_id, int64_t assignment_id) {
  return whole_versions_[class_id] + assignment_versions_[assignment_id];
}

Response App::text_of_class(const std::string& key, uint64_t version,
                            std::function<std::string(Database&)> make) {
  std::shared_ptr<CachedText>& cached = texts_[key];
  if (!cached) cached = std::make_shared<CachedText>();
  const auto fresh = [cached, version]() -> std::optional<std::string> {
    const std::lock_guard lock(cached->mutex);
    return cached->version > version ? std::optional(cached->text) : std::nullopt;
  };
  if (auto text = fresh()) return {200, std::move(*text)};
  const auto result = std::make_shared<Response>();
  Response response;
  // Of several that wait for the same text, the first makes it.
  response.background = {
      [cached, fresh, version, make = std::move(make), result](Database& reading) {
        *result = answered([&]() -> Response {
          if (auto text = fresh()) return {200, std::move(*text)};
          std::string made = make(reading);
          const std::lock_guard lock(cached->mutex);
          cached->version = version + 1;
          cached->text = made;
          return {200, std::move(made)};
        });
      },
      [result] { return std::move(*result); }, Background::Kind::boards};
  return response;
}

}  // namespace ridge::leaderboard
