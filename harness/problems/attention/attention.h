// The sizes of an attention problem by name, and which keys a query sees.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/problems/inputs.h"
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
  std::vector<int64_t> lengths = {};  // by head: how many keys its queries see; empty: by the mask

  // Query i of a head sees keys 0 to visible_keys() - 1; none if there are more queries than keys.
  int64_t visible_keys(int64_t head, int64_t query) const;
  double visible_pairs() const;  // of one head, by the mask
};

// The result in double, and its tolerances, for some rows of `result`, the only written buffer. k
// and v: [heads][keys][d]; the queries are the buffer kQueries.
Expected attend(const AttentionShape& shape, const Case& given, std::span<const double> k,
                std::span<const double> v, size_t result, std::span<const int64_t> rows);

// The keys that a query sees: rows first, first + stride, ... of k and v.
struct SeenKeys {
  int64_t first = 0, stride = 1, count = 0;
};
// The same with the rows of k and v, matrices of `columns` columns, that a row of the queries sees.
Expected attend_rows(const Case& given, std::span<const double> k, std::span<const double> v,
                     int64_t columns, size_t result, std::span<const int64_t> rows,
                     const std::function<SeenKeys(int64_t row)>& seen);
std::vector<int64_t> all_rows(const AttentionShape& shape);

}  // namespace ridge::problems
