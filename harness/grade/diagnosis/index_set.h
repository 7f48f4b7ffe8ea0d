// Describes a set of rows, columns or places: "the last 3 of 100 rows", "one row in 8, from row 3
// on,".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::grade {

struct IndexSet {
  std::vector<bool> in;  // by index
  int64_t count() const;
  bool all() const { return count() == static_cast<int64_t>(in.size()); }
};

// "" when the set has no simple description: all, one, a range, or a range that repeats
// periodically. `one`: "row"; `many`: "rows".
std::string describe(const IndexSet& set, const std::string& one, const std::string& many);

// A range [first, last] that repeats every `period` indices; the last one may be cut off.
struct Recurrence {
  int64_t period = 0, first = 0, last = 0;  // period 0: there is none
};
Recurrence recurrence_of(const IndexSet& set);

}  // namespace ridge::grade
