// The class server without sockets: finds the route of a request, identifies the caller, checks the
// permission, and answers.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/course/lab.h"
#include "leaderboard/access/authorization.h"
#include "leaderboard/access/openid_attempts.h"
#include "leaderboard/access/rate_limit.h"
#include "leaderboard/api/exchange.h"
#include "leaderboard/boards/changed_people.h"
#include "leaderboard/classes/json_text.h"
#include "leaderboard/classes/records.h"
#include "leaderboard/jobs/queue.h"

namespace ridge::leaderboard {

// A refusal with its status; becomes {"error": {"what", "next"}}.
struct ApiError {
  int status;
  std::string what, next = {};
  int retry_after_seconds = 0;
};

struct AppOptions {
  std::function<int64_t()> now_ms;  // empty: the system's clock
  std::string public_url = "http://127.0.0.1:8180";
  bool secure_cookies = false;  // over HTTPS
  std::string unsafe_note;      // shown on every page; empty: workers have a sandbox
  bool demo = false;
  std::optional<OpenIdProvider> openid = {};
  std::string programs;        // a tar file that batch jobs can download; empty: none
  bool traces = false;         // workers record a trace of every graded file
  bool in_background = false;  // the caller of handle() runs Response::background
  // Receives one object per request and per entry of the event log; empty: none.
  std::function<void(const nlohmann::json&)> log;
};

class App;

// The context of a handler.
struct Call {
  App& app;
  Database& database;
  const Request& request;
  const Identity who;
  int64_t now_ms = 0;
  std::map<std::string, std::string> path;  // {"class": "gpu-2027"}
  // The objects in the path; all were found before the handler is called.
  std::optional<ClassRecord> owner;
  std::optional<Assignment> assignment;
  std::optional<Person> student;
  int64_t submission_id = 0;
  std::vector<Change> changes;  // sent to the streams after the commit
  nlohmann::json body;          // an object; for a request with a body
  // For a change: a lasting one is acknowledged after it is on disk.
  Durability durability = Durability::lasting_after_wait;

  // A copy of this call for another thread, made before its handler has run.
  Call on(Database& other, const Request& same) const {
    return {app, other, same, who, now_ms, path, owner, assignment, student, submission_id, {}, {}};
  }

  std::string text(const char* key,
                   size_t most_bytes = 200) const;  // "" when missing; throws ApiError 400
  std::string needed_text(const char* key, size_t most_bytes = 200) const;
  std::string actor() const;  // "instructor 3"
  void log(const std::string& kind, const std::string& detail, int64_t submission = 0,
           int64_t person = 0) const;
};

struct Route {
  const char* method;
  const char* pattern;  // "/api/v1/classes/{class}/students"
  Access access;
  Response (*handler)(Call&);
  // Set: it runs in the background, and reads the database, and of the App only the course.
  std::optional<Background::Kind> lane = {};
};

const std::vector<Route>& routes();

class App {
 public:
  App(Database& database, const course::Course& course, AppOptions options);
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // Never throws. A change is committed or rolled back before it returns.
  Response handle(const Request& request);
  std::vector<Notice> take_notices();  // since the last call
  // Applies the changes that other servers on the same database have made.
  void apply_changes_of_others(const ChangeFeed::Received& received);
  // Makes a change without a request: one transaction, then the notices and the log.
  void change(const std::function<void(std::vector<Change>&)>& work);
  // Requeues the jobs of a worker that is gone; with "", all expired leases.
  void recover_worker(const std::string& worker);
  void report_trouble(const std::string& what);  // to the log

  const course::Course& course() const { return course_; }
  const AppOptions& options() const { return options_; }
  const std::string& board_salt() const { return board_salt_; }
  int64_t now_ms() const { return options_.now_ms(); }
  // A text that changes only with a class's grades and boards: from memory, or brought up to date
  // on another thread when they have changed since. What `create` makes is kept, and reads nothing
  // of the App but the course.
  Response class_text(const std::string& key, const ChangedPeople& changed,
                      std::function<std::unique_ptr<ClassText>()> create);
  // Whose rows of one board have changed, and of any board of the class.
  const ChangedPeople& changed(int64_t class_id, int64_t assignment_id = 0) {
    return changed_[{class_id, assignment_id}];
  }
  RateLimit& sign_in_limit() { return sign_in_limit_; }
  RateLimit& submit_limit() { return submit_limit_; }
  std::string metrics();
  OpenIdAttempts& openid_attempts() { return openid_attempts_; }
  RateLimit& openid_limit() { return openid_limit_; }

 private:
  struct Asked {  // what the log records of a request
    std::string method, peer;
    const Route* route = nullptr;
    Identity who = {};
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  };
  Response answer(const Request& request, Asked& asked);
  void check(Call& call, const Route& route);
  Response in_background(const Call& call, const Route& route);
  void finished(const Asked& asked, const Response& response);
  Identity identity_of(const Request& request);
  void begun();  // stores the end of the event log before a change
  void commit(Transaction& transaction, const std::vector<Change>& changes, Durability durability);
  void announce(const std::vector<Change>& changes);
  void notify_streams(const std::vector<Change>& changes);
  std::vector<nlohmann::json> new_events();
  Subject resolve(Call& call);

  Database& database_;
  const course::Course& course_;
  AppOptions options_;
  std::string board_salt_;
  std::string origin_;  // identifies the announcements of this server
  std::vector<Notice> notices_;
  void note_board(const Change& change);
  // By class and assignment; assignment 0: of the whole class.
  std::map<std::pair<int64_t, int64_t>, ChangedPeople> changed_;
  struct KeptText {
    std::mutex making;
    std::unique_ptr<ClassText> maker;  // guarded by `making`
    std::mutex mutex;
    uint64_t version = 0;  // of what it was made from, and 1 more
    std::string text;
  };
  std::map<std::string, std::shared_ptr<KeptText>> texts_;
  RateLimit sign_in_limit_{10, 10}, submit_limit_{12, 12}, openid_limit_{60, 60};
  OpenIdAttempts openid_attempts_;
  std::map<int, uint64_t> answered_;  // by status
  int64_t newest_event_ = 0;          // before the current change
};

std::string cookie_in(const std::string& header, const std::string& name);  // "" when missing
// The value of Set-Cookie. An empty secret with 0 s removes the cookie.
std::string session_cookie(const App& app, const std::string& secret, int64_t lives_s);
Response json_response(const nlohmann::json& json, int status = 200);
nlohmann::json number_or_null(const std::optional<double>& number);
// Converts a refusal or any error of `make` to a response. `trouble`: receives what went wrong in
// the store; may be nullptr.
Response answered(const std::function<Response()>& make, std::string* trouble = nullptr);

}  // namespace ridge::leaderboard
