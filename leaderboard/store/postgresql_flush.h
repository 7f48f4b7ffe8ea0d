// Flushes PostgreSQL's write-ahead log for changes that were committed without waiting for the disk
// (synchronous_commit = off), from another thread and by a connection of its own.
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "leaderboard/store/postgresql_reconnecting.h"

namespace ridge::leaderboard {

class PostgresqlFlush {
 public:
  explicit PostgresqlFlush(const std::string& url) : connection_(url, "") {}
  // The session has committed a change that nobody has flushed.
  void committed(const std::string& session);
  // From any thread: all changes committed before the call are on disk when it returns. Throws
  // UncertainError when a session with such changes has ended meanwhile: PostgreSQL may have
  // crashed and lost them. Throws report::StoreError when PostgreSQL does not answer.
  void wait();

 private:
  void flush();
  bool is_alive(const std::string& session);

  std::mutex noting_;
  std::set<std::string> unflushed_;  // sessions, guarded by noting_
  std::mutex flushing_;
  ReconnectingPostgresql connection_;  // guarded by flushing_
};

}  // namespace ridge::leaderboard
