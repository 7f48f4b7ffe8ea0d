// HTTP/1.1 over TCP for the App: one thread, limits on size and time, server-sent events, and the
// pages' files.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "leaderboard/api/app.h"

namespace ridge::leaderboard {

struct ServerOptions {
  std::string address = "127.0.0.1";
  int port = 8180;              // 0: any free one
  std::filesystem::path pages;  // the built pages; empty: there are none
  std::string pages_missing;    // shown instead of the pages
  bool behind_proxy = false;    // use the last address in X-Forwarded-For as the caller's
  int request_seconds = 10;     // for receiving a complete request
  int most_connections = 2048;
};

class Server {
 public:
  // Throws std::runtime_error when the port is not available. `database`: the App's, in a file.
  Server(App& app, Database& database, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  int port() const;
  // Serves until `stop`. `every_second` runs between requests.
  void run(const std::atomic<bool>& stop, const std::function<void()>& every_second);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ridge::leaderboard
