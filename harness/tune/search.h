// Which candidate to measure next: a few that stand for all, then whichever is expected to gain most over the
// best so far, by what the measured ones say (surrogate.h). Deterministic: the same answers lead the same
// way.
#pragma once

#include <functional>
#include <optional>

#include "harness/tune/surrogate.h"

namespace ridge::tune {

inline constexpr int kMostTries = 16;

struct Try {
  size_t candidate = 0;
  double score = 0;  // more is better
};

class Search {
 public:
  // `features[i]` of candidate i. The search begins with `start`.
  Search(Features features, size_t start, int most_tries = kMostTries);

  // The next candidate to measure; none when the tries are used up or nothing is left.
  std::optional<size_t> next() const;
  // What it would measure next if nothing that was measured had a say: the first tries, in their order.
  std::optional<size_t> next_unmeasured() const;
  void tell(size_t candidate, double score);
  // It could not be measured (a wrong answer, a launch that failed): it is not proposed again and says
  // nothing.
  void give_up(size_t candidate);

  const std::vector<Try>& tries() const { return tries_; }
  const Try& best() const;  // of at least one

 private:
  std::optional<size_t> most_representative() const;
  std::optional<size_t> most_promising() const;
  bool open(size_t candidate) const { return !closed_[candidate]; }

  Features features_;
  size_t start_;
  int most_tries_;
  std::vector<Try> tries_;
  std::vector<bool> closed_;  // measured, or given up
};

// A whole search over scores that are known already.
std::vector<Try> replay(const Features& features, size_t start, const std::vector<double>& scores,
                        int most_tries = kMostTries);

}  // namespace ridge::tune
