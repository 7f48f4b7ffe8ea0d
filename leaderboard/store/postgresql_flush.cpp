// A transaction that waits for the disk flushes the log up to its own end, and so everything that
// other sessions committed before it.
//
// The log that is not on disk is in the memory that all processes of the server share. When one of
// them is killed, PostgreSQL ends all sessions and recovers from the disk: such changes are lost,
// and a flush on a new connection would succeed without them. A session that still lives after the
// flush proves that this has not happened since its commit.
#include "leaderboard/store/postgresql_flush.h"

#include <fmt/format.h>

#include "leaderboard/store/change_feed.h"

namespace ridge::leaderboard {

namespace {

// Writes a few bytes to the log that nobody reads; its COMMIT waits for the disk.
constexpr const char* kFlush = "SELECT pg_logical_emit_message(true, 'ridge', CAST('' AS text))";

}  // namespace

void PostgresqlFlush::committed(const std::string& session) {
  const std::lock_guard lock(noting_);
  unflushed_.insert(session);
}

void PostgresqlFlush::wait() {
  const std::lock_guard flushing(flushing_);
  std::set<std::string> sessions;
  {
    const std::lock_guard noting(noting_);
    sessions.swap(unflushed_);
  }
  if (sessions.empty()) return;
  flush();
  for (const std::string& session : sessions)
    if (!is_alive(session))
      throw UncertainError(fmt::format("a connection to {} ended before its changes were on disk",
                                       without_password(connection_.url())));
}

// A connection that was lost is opened once more: to flush twice does no harm.
void PostgresqlFlush::flush() {
  try {
    connection_.get().run_script(kFlush);
    return;
  } catch (const ConnectionLost&) {
    connection_.drop();
  }
  connection_.get().run_script(kFlush);
}

bool PostgresqlFlush::is_alive(const std::string& session) {
  const std::string sql = fmt::format("SELECT 1 FROM pg_stat_activity WHERE {} = ?", kSessionName);
  return !connection_.get().run(sql, {session}).empty();
}

}  // namespace ridge::leaderboard
