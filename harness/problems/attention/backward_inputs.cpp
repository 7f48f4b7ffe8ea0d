// The inputs of the backward pass: what the forward pass gets, and what it computes.
#include <cmath>
#include <cstring>

#include "harness/problems/attention/backward.h"
#include "harness/problems/attention/draws.h"
#include "harness/problems/attention/repeated_keys.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

// Rows from 128 on become copies of one of the first 128 of their head.
void repeat_rows(Case& given, size_t buffer, const AttentionShape& shape) {
  std::byte* const data = given.initial[buffer].data();
  constexpr auto kRowBytes = static_cast<size_t>(kColumns * bytes_of(Type::bfloat16));
  for (int64_t head = 0; head < shape.heads; ++head)
    for (int64_t key = kDistinctKeys; key < shape.keys; ++key) {
      const auto row = [&](int64_t of) {
        return data + static_cast<size_t>(head * shape.keys + of) * kRowBytes;
      };
      std::memcpy(row(key), row(first_equal_key(given.seed, head, key)), kRowBytes);
    }
}

}  // namespace

void attend_forward(Case& given) {
  const AttentionShape shape(forward_sizes(given.sizes));
  repeat_rows(given, kKeys, shape);
  repeat_rows(given, kValues, shape);
  auto* const log_sums = reinterpret_cast<float*>(given.initial[kLogSums].data());
  constexpr int64_t kQueriesAtATime = 128;
  const int64_t per_head = (shape.queries + kQueriesAtATime - 1) / kQueriesAtATime;
  rows_in_parallel(shape.heads * per_head, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t head = part / per_head, first = part % per_head * kQueriesAtATime;
      const Distinct k(given, kKeys, head, shape.keys), v(given, kValues, head, shape.keys);
      KeyCounts counts(shape, given.seed, head);
      std::vector<double> logits;
      for (int64_t query = first; query < std::min(first + kQueriesAtATime, shape.queries);
           ++query) {
        const int64_t row = head * shape.queries + query;
        double q[kRowElements], out[kRowElements] = {}, largest = -INFINITY, sum = 0;
        load_row(given, kQueries, row, q);
        const std::vector<double>& seen = counts.seen_by(query);
        k.products(q, logits);
        for (size_t j = 0; j < k.count; ++j) {
          logits[j] /= std::sqrt(static_cast<double>(kRowElements));
          if (seen[j] > 0) largest = std::max(largest, logits[j]);
        }
        for (size_t j = 0; j < k.count; ++j) {
          if (seen[j] == 0) continue;
          const double weight = seen[j] * std::exp(logits[j] - largest);
          sum += weight;
          for (size_t c = 0; c < kRowElements; ++c)
            out[c] += weight * v.rows[j * kRowElements + c];
        }
        log_sums[row] = static_cast<float>(sum > 0 ? largest + std::log(sum) : -INFINITY);
        for (size_t c = 0; c < kRowElements; ++c)
          store_element(Type::bfloat16, given.initial[kOutput].data(),
                        row * kColumns + static_cast<int64_t>(c), sum > 0 ? out[c] / sum : 0);
      }
    }
  });
}

bool fill_backward(const Fill& fill) {
  const Sizes sizes = forward_sizes(fill.sizes);
  if (fill.buffer <= kValues) fill_attention({sizes, fill.buffer, fill.draw, fill.seed, fill.data});
  // A row of the gradient of the output is drawn as one of v is.
  const Sizes by_query = {sizes[0], sizes[1], sizes[1], sizes[3], sizes[4]};
  if (fill.buffer == kOutputGradient)
    fill_attention({by_query, kValues, fill.draw, fill.seed, fill.data});
  return true;
}

Sizes forward_sizes(const Sizes& sizes) {
  return {sizes[0], sizes[1], sizes[2], kColumns, sizes[3]};
}

}  // namespace ridge::problems
