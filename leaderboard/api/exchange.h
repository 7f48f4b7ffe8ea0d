// A request and its answer, independent of the transport (the HTTP server or a test).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ridge::leaderboard {

struct Request {
  std::string method, path;  // path: decoded, without the query
  std::map<std::string, std::string> query;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string peer;  // the caller's address

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

// The events of a stream: all on the board, and those on submissions that it may see.
struct Subscription {
  int64_t class_id = 0, person_id = 0;
  bool instructor = false;
};

class Database;
struct Response;

// Work that takes long and needs no part of the App that changes. Each kind has a thread: an export
// does not hold up a board, nor does another server's silence.
struct Background {
  enum class Kind { boards, exports, questions };  // questions: to another server
  std::function<void(Database&)> work;  // on another thread, with a read-only connection
  std::function<Response()> finish;     // afterwards, on the App's own thread
  Kind kind = Kind::exports;
};

struct Response {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string file = {};                      // instead of a body: the path of the file to send
  std::optional<Subscription> stream = {};    // instead of a body: server-sent events
  std::optional<Background> background = {};  // instead of a body: the answer is computed later
  bool after_disk = false;  // must not be sent before Database::wait_for_disk() has returned
};

// Sent to the streams after a change was committed. person_id 0: to everybody in the class.
struct Notice {
  int64_t class_id = 0, person_id = 0;
  std::string event, data;  // data: JSON on one line
};

}  // namespace ridge::leaderboard
