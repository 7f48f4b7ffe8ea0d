// Changes that other servers on the same database have made.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/report/store/database.h"

namespace ridge::leaderboard {

inline constexpr size_t kMostAnnouncedBytes = 7900;  // PostgreSQL's NOTIFY takes fewer than 8000

// The connection ended while a change was being committed.
struct UncertainError : report::StoreError {
  using report::StoreError::StoreError;
};

class ChangeFeed {
 public:
  struct Received {
    std::vector<std::string> texts;  // as announced, oldest first; includes those of this server
    bool missed = false;  // the connection was lost in between: anything may have changed
  };
  virtual ~ChangeFeed() = default;
  // Returns at once. Never throws: a lost connection is opened again at a later call.
  virtual Received take() = 0;
};

}  // namespace ridge::leaderboard
