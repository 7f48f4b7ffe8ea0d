// A set of rows, columns or places in words: "the last 3 of 100 rows", "one row in 8, from row 3 on,".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::grade {

struct IndexSet {
  std::vector<bool> in;  // one an index
  int64_t count() const;
  bool all() const { return count() == static_cast<int64_t>(in.size()); }
};

// "" when the set is none of: all, one, a range, a range that comes again every so many. `one`: "row";
// `many`: "rows".
std::string describe(const IndexSet& set, const std::string& one, const std::string& many);

// A range [first, last] of every `period` indices, and the end of the indices may cut the last one short.
struct Recurrence {
  int64_t period = 0, first = 0, last = 0;  // period 0: there is none
};
Recurrence recurrence_of(const IndexSet& set);

}  // namespace ridge::grade
