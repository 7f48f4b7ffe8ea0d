// Keys that repeat: a long sequence has 128 different keys, in an order without a pattern. What a
// query adds up over thousands of keys is then a sum over 128 terms, each times the number of its
// keys, so the forward pass and the references of the largest sizes take a second.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/problems/attention/backward.h"

namespace ridge::problems {

inline constexpr int64_t kDistinctKeys = 128;
using Row = const double*;  // of kColumns values

// The key of the same head, among its first 128, that key `key` is equal to.
inline int64_t first_equal_key(uint64_t seed, int64_t head, int64_t key) {
  if (key < kDistinctKeys) return key;
  const auto place = static_cast<uint64_t>(head) << 32 | static_cast<uint64_t>(key);
  return static_cast<int64_t>(mix(seed ^ mix(place)) % kDistinctKeys);
}

// How many of the keys that a query sees are equal to each of the distinct ones.
class KeyCounts {
 public:
  KeyCounts(const AttentionShape& shape, uint64_t seed, int64_t head)
      : shape_(shape), seed_(seed), head_(head), counts_(static_cast<size_t>(distinct())) {}

  int64_t distinct() const { return std::min(shape_.keys, kDistinctKeys); }

  // Fast if the query is next to that of the last call.
  const std::vector<double>& seen_by(int64_t query) {
    const int64_t visible = shape_.visible_keys(head_, query);
    for (; seen_ < visible; ++seen_)
      ++count_of(seen_);
    while (seen_ > visible)
      --count_of(--seen_);
    return counts_;
  }

 private:
  double& count_of(int64_t key) {
    return counts_[static_cast<size_t>(first_equal_key(seed_, head_, key))];
  }

  const AttentionShape& shape_;
  uint64_t seed_;
  int64_t head_, seen_ = 0;
  std::vector<double> counts_;
};

// The distinct keys or values of a head: rows [count][kRowElements], and the same transposed, for
// products with all of them at once.
struct Distinct {
  Distinct(const Case& given, size_t buffer, int64_t head, int64_t keys)
      : count(static_cast<size_t>(std::min(keys, kDistinctKeys))),
        rows(count * kRowElements),
        columns(count * kRowElements),
        norms(count) {
    for (size_t j = 0; j < count; ++j) {
      for (size_t c = 0; c < kRowElements; ++c) {
        const double value =
            load_element(Type::bfloat16, given.initial[buffer].data(),
                         head * keys * kColumns + static_cast<int64_t>(j * kRowElements + c));
        rows[j * kRowElements + c] = columns[c * count + j] = value;
        norms[j] += value * value;
      }
      norms[j] = std::sqrt(norms[j]);
    }
  }

  // By row: its product with x.
  void products(Row x, std::vector<double>& out) const {
    out.assign(count, 0);
    for (size_t c = 0; c < kRowElements; ++c)
      for (size_t j = 0; j < count; ++j)
        out[j] += x[c] * columns[c * count + j];
  }

  size_t count;
  std::vector<double> rows, columns, norms;
};

inline void load_row(const Case& given, size_t buffer, int64_t row, double* to) {
  for (size_t c = 0; c < kRowElements; ++c)
    to[c] = load_element(Type::bfloat16, given.initial[buffer].data(),
                         row * kColumns + static_cast<int64_t>(c));
}

}  // namespace ridge::problems
