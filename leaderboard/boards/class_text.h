// A text about all students of a class that is asked for often: after a change only the parts about
// the people concerned are made anew.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

// Persons by their ids; no value: everybody.
using People = std::optional<std::set<int64_t>>;

class ClassText {
 public:
  virtual ~ClassText() = default;
  // The text as of now. `changed`: at least those whose part may differ from that of the last call;
  // the first call makes all parts. After an exception the object must not be used again.
  virtual std::string text(Database& database, const People& changed) = 0;
};

}  // namespace ridge::leaderboard
