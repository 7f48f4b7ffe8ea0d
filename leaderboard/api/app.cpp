// Processes a request from its route to its answer. A change runs in one transaction, and is sent
// to the streams only after the commit.
#include "leaderboard/api/app.h"

#include <fmt/format.h>

#include <chrono>

#include "harness/report/store/database.h"
#include "leaderboard/access/secrets.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

int64_t system_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
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

json body_of(const Request& request) {
  if (request.body.empty()) return json::object();
  if (!request.header("content-type").starts_with("application/json"))
    throw ApiError{415, "the request's body must be JSON", "Send Content-Type: application/json."};
  json body = json::parse(request.body, nullptr, false);
  if (!body.is_object())
    throw ApiError{400, "the request's body is not a JSON object", "See /api/v1/openapi.json."};
  return body;
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

App::App(Database& database, const course::Course& course, AppOptions options)
    : database_(database),
      course_(course),
      options_(std::move(options)),
      board_salt_(shared_secret(database, "board_salt")),
      origin_(new_code()) {
  if (!options_.now_ms) options_.now_ms = system_ms;
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
                         [result] { return std::move(*result); }, *route.lane};
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
    return found->lane ? in_background(call, *found) : found->handler(call);
  }
  call.body = body_of(request);
  Transaction transaction(database_);
  begun();
  check(call, *found);
  Response response = found->handler(call);
  commit(transaction, call.changes, call.durability);
  response.after_disk = call.durability == Durability::lasting_after_wait;
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

Response App::class_text(const std::string& key, const ChangedPeople& changed,
                         std::function<std::unique_ptr<ClassText>()> create) {
  std::shared_ptr<KeptText>& kept = texts_[key];
  if (!kept) kept = std::make_shared<KeptText>();
  const uint64_t version = changed.version();
  uint64_t old = 0;  // the version that is kept, and 1 more
  const auto fresh = [kept, version](uint64_t* made_from = nullptr) -> std::optional<std::string> {
    const std::lock_guard lock(kept->mutex);
    if (made_from) *made_from = kept->version;
    return kept->version > version ? std::optional(kept->text) : std::nullopt;
  };
  if (auto text = fresh(&old)) return {200, std::move(*text)};
  // The text may be newer than `old` when its turn comes: then these are more people than needed.
  const People people = old ? changed.since(old - 1) : std::nullopt;
  const auto result = std::make_shared<Response>();
  Response response;
  // The first of several requests that wait for the same text makes it.
  response.background = {
      [kept, fresh, version, people, create = std::move(create), result](Database& reading) {
        *result = answered([&]() -> Response {
          const std::lock_guard making(kept->making);
          if (auto text = fresh()) return {200, std::move(*text)};
          // Away from its place meanwhile, so that one that failed is not used again.
          std::unique_ptr<ClassText> maker = std::move(kept->maker);
          if (!maker) maker = create();
          std::string made = maker->text(reading, people);
          kept->maker = std::move(maker);
          const std::lock_guard lock(kept->mutex);
          kept->version = version + 1;
          kept->text = made;
          return {200, std::move(made)};
        });
      },
      [result] { return std::move(*result); }, Background::Kind::boards};
  return response;
}

}  // namespace ridge::leaderboard
