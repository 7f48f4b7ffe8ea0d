// Sends requests to a class server: plain HTTP with a socket, HTTPS with the program curl.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ridge::leaderboard {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

// The server could not be reached, or is not an HTTP server.
struct HttpError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct HttpQuestion {
  std::string method = "GET", url;  // http://host:port/path or https://...
  std::string token;                // sent as a bearer token; empty: not sent
  std::string body;                 // empty: none
  double limit_seconds = 20;
  std::string body_type = "application/json";
};

HttpAnswer ask(const HttpQuestion& question);  // throws HttpError

}  // namespace ridge::leaderboard
