// One connection to PostgreSQL: statements with values, and errors as exceptions.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "leaderboard/store/database.h"
#include "leaderboard/store/libpq.h"

namespace ridge::leaderboard {

// The connection ended before the answer arrived: the statement may have been executed.
struct ConnectionLost : report::StoreError {
  using report::StoreError::StoreError;
};

// An expression on pg_stat_activity that identifies a session, also after its process number was
// given to another one.
inline constexpr const char* kSessionName =
    "CAST(pid AS text) || ' ' || CAST(extract(epoch FROM backend_start) AS text)";

class PostgresqlConnection {
 public:
  // `settings`: statements to run first. Throws report::StoreError.
  PostgresqlConnection(const std::string& url, const std::string& settings);
  // `sql` has `?` for values; it is prepared once per connection. Throws report::StoreError,
  // ConnectionLost.
  Rows run(std::string_view sql, const Values& values);
  void run_script(const std::string& sql);
  // Its kSessionName; the server is asked once.
  const std::string& session();
  // The announcements to this connection since the last call; the connection must LISTEN. Throws
  // ConnectionLost.
  std::vector<std::string> take_notifications();

 private:
  using Result = std::unique_ptr<pg_result, void (*)(pg_result*)>;
  Result checked(pg_result* result);
  const std::string& prepared(std::string_view sql);
  std::string name_, session_;
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> connection_;
  // Names of the prepared statements, by text.
  std::map<std::string, std::string, std::less<>> statements_;
};

// Turns "a = ? AND b = '?'" into "a = $1 AND b = '?'".
std::string with_numbered_values(std::string_view sql);
// The address without its password.
std::string without_password(const std::string& url);

}  // namespace ridge::leaderboard
