// A connection to PostgreSQL that is opened again when it was lost, at most twice per second.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "leaderboard/store/postgresql_connection.h"

namespace ridge::leaderboard {

class ReconnectingPostgresql {
 public:
  // `settings`: statements to run first on every new connection.
  ReconnectingPostgresql(std::string url, const char* settings)
      : url_(std::move(url)), settings_(settings) {}

  // Throws report::StoreError.
  PostgresqlConnection& get() {
    if (!connection_) {
      if (Clock::now() < next_try_) throw report::StoreError(why_);
      connect();
    }
    return *connection_;
  }
  bool connected() const { return connection_.has_value(); }
  void drop() { connection_.reset(); }
  const std::string& url() const { return url_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPauseAfterFailure{500};

  void connect() {
    try {
      connection_.emplace(url_, settings_);
    } catch (const report::StoreError& error) {
      why_ = error.what();
      next_try_ = Clock::now() + kPauseAfterFailure;
      throw;
    }
  }

  std::string url_;
  const char* settings_;
  std::optional<PostgresqlConnection> connection_;
  std::string why_;
  Clock::time_point next_try_{};
};

}  // namespace ridge::leaderboard
