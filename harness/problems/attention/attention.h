// The sizes of an attention problem by name, and which keys a query sees.
#pragma once

#include "harness/problems/problem.h"

namespace ridge::problems {

// The size "mask": each query sees every key, or those up to its own position. The last query is
// aligned with the last key.
inline constexpr int64_t kFullMask = 1, kCausalMask = 2;

// The buffers of an attention problem, in order.
inline constexpr size_t kQueries = 0, kKeys = 1, kValues = 2, kAttended = 3;

struct AttentionShape {
  explicit AttentionShape(const Sizes& sizes);
  int64_t heads = 0, queries = 0, keys = 0, d = 0;
  bool causal = false;

  // Query i sees keys 0 to visible_keys(i) - 1; none if there are more queries than keys.
  int64_t visible_keys(int64_t query) const;
  double visible_pairs() const;  // of one head
};

}  // namespace ridge::problems
