// out = softmax(q k^T / sqrt(d)) v, head by head; each query sees every key, or those up to its own
// position. bfloat16 operands and result, everything between them in float32 or better.
#include "harness/problems/attention/attention.h"

#include <algorithm>
#include <cmath>

#include "harness/problems/attention/draws.h"
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

// The product of two rows, in eight sums that need not wait for each other.
[[gnu::target_clones("arch=x86-64-v3", "default")]] double dot(const double* a, const double* b,
                                                               size_t columns) {
  constexpr size_t kSums = 8;
  double sums[kSums] = {}, sum = 0;
  const size_t whole = columns / kSums * kSums;
  for (size_t c = 0; c < whole; c += kSums)
    for (size_t i = 0; i < kSums; ++i)
      sums[i] += a[c + i] * b[c + i];
  for (const double one : sums)
    sum += one;
  for (size_t c = whole; c < columns; ++c)
    sum += a[c] * b[c];
  return sum;
}

// Sums over the keys that a query sees, by column.
struct ColumnSums {
  double *value, *magnitude, *squares, *by_slack;
};

// Adds one key's values with its weight.
[[gnu::target_clones("arch=x86-64-v3", "default")]] void add_key(const ColumnSums& sums,
                                                                 const double* values,
                                                                 size_t columns, double weight,
                                                                 double slack) {
  double* __restrict const value = sums.value;
  double* __restrict const magnitude = sums.magnitude;
  double* __restrict const squares = sums.squares;
  double* __restrict const by_slack = sums.by_slack;
  for (size_t c = 0; c < columns; ++c) {
    const double term = weight * values[c], size = std::fabs(term);
    value[c] += term;
    magnitude[c] += size;
    squares[c] += term * term;
    by_slack[c] += size * slack;
  }
}

// One query's attention in double, with the tolerance of each element of its row.
class AttendedRow {
 public:
  AttendedRow(std::span<const double> k, std::span<const double> v,
              std::span<const double> key_norms)
      : k_(k), v_(v), key_norms_(key_norms) {}

  // Writes d values and tolerances, where d is the length of q.
  void compute(std::span<const double> q, const SeenKeys& seen, double* value, float* tolerance) {
    std::fill(value, value + q.size(), 0.0);
    std::fill(tolerance, tolerance + q.size(), 0.0f);
    if (seen.count == 0) return;  // no key: 0, exactly
    weigh(q, seen);
    accumulate(q.size(), seen, value, tolerance);
  }

 private:
  // The weights p of the visible keys, and the relative error that a float32 kernel may have in each.
  void weigh(std::span<const double> q, const SeenKeys& seen) {
    const size_t d = q.size(), visible = static_cast<size_t>(seen.count);
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    double norm = 0, largest = -INFINITY, sum = 0;
    for (const double x : q)
      norm += x * x;
    norm = std::sqrt(norm);
    p_.resize(visible);
    slack_.resize(visible);
    for (size_t j = 0; j < visible; ++j) {
      p_[j] = dot(q.data(), &k_[row_of(seen, j) * d], d) * scale;
      largest = std::max(largest, p_[j]);
    }
    for (size_t j = 0; j < visible; ++j) {
      // The product's roundings, of which |q| |k| is the largest magnitude (Cauchy-Schwarz), and
      // those of the exponential's argument: an absolute error of the argument is a relative one of
      // the result.
      slack_[j] = static_cast<double>(tolerance_of(Type::float32, static_cast<int64_t>(d),
                                                   norm * key_norms_[row_of(seen, j)] * scale)) +
                  4 * unit_roundoff(Type::float32) * (std::fabs(p_[j]) + std::fabs(largest) + 4);
      p_[j] = std::exp(p_[j] - largest);
      sum += p_[j];
    }
    for (double& p : p_)
      p /= sum;
  }

  void accumulate(size_t d, const SeenKeys& seen, double* value, float* tolerance) {
    const auto visible = static_cast<size_t>(seen.count);
    magnitude_.assign(d, 0);
    squares_.assign(d, 0);
    by_slack_.assign(d, 0);
    const ColumnSums sums{value, magnitude_.data(), squares_.data(), by_slack_.data()};
    double slack = 0;
    for (size_t j = 0; j < visible; ++j) {
      slack += p_[j] * slack_[j];
      add_key(sums, &v_[row_of(seen, j) * d], d, p_[j], slack_[j]);
    }
    // A kernel may round the weights to bfloat16 for the tensor cores. If these roundings are
    // independent, their error grows like the root of the sum of squares (4 times: seven standard
    // deviations); if all weights are equal, they are equal too and scale the result. One more
    // rounding stores the result.
    constexpr double kDeviations = 4;
    const double rounding = unit_roundoff(Type::bfloat16);
    for (size_t c = 0; c < d; ++c)
      tolerance[c] =
          static_cast<float>(
              rounding * (2 * std::fabs(value[c]) + kDeviations * std::sqrt(squares_[c])) +
              by_slack_[c] + slack * std::fabs(value[c]) + smallest_normal(Type::bfloat16)) +
          tolerance_of(Type::float32, static_cast<int64_t>(visible), magnitude_[c]);
  }

  static size_t row_of(const SeenKeys& seen, size_t j) {
    return static_cast<size_t>(seen.first) + j * static_cast<size_t>(seen.stride);
  }

  std::span<const double> k_, v_, key_norms_;
  std::vector<double> p_, slack_, magnitude_, squares_, by_slack_;
};

}  // namespace

Expected attend_rows(const Case& given, std::span<const double> k, std::span<const double> v,
                     int64_t columns, size_t result, std::span<const int64_t> rows,
                     const std::function<SeenKeys(int64_t)>& seen) {
  const auto d = static_cast<size_t>(columns);
  std::vector<double> key_norms(k.size() / d);
  for (size_t j = 0; j < key_norms.size(); ++j) {
    for (size_t c = 0; c < d; ++c)
      key_norms[j] += k[j * d + c] * k[j * d + c];
    key_norms[j] = std::sqrt(key_norms[j]);
  }
  Expected out{result, LargeArray<double>(rows.size() * d), LargeArray<float>(rows.size() * d)};
  constexpr int64_t kRowsAtATime = 8;
  rows_in_parallel(static_cast<int64_t>(rows.size()), kRowsAtATime,
                   [&](int64_t begin, int64_t end) {
                     AttendedRow row(k, v, key_norms);
                     std::vector<double> q(d);
                     for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
                       for (size_t c = 0; c < d; ++c)
                         q[c] = load_element(Type::bfloat16, given.initial[kQueries].data(),
                                             rows[i] * columns + static_cast<int64_t>(c));
                       row.compute(q, seen(rows[i]), &out.value[i * d], &out.tolerance[i * d]);
                     }
                   });
  return out;
}

Expected attend(const AttentionShape& shape, const Case& given, std::span<const double> k,
                std::span<const double> v, size_t result, std::span<const int64_t> rows) {
  return attend_rows(given, k, v, shape.d, result, rows, [&](int64_t row) {
    const int64_t head = row / shape.queries;
    return SeenKeys{head * shape.keys, 1, shape.visible_keys(head, row % shape.queries)};
  });
}

std::vector<int64_t> all_rows(const AttentionShape& shape) {
  std::vector<int64_t> rows(static_cast<size_t>(shape.heads * shape.queries));
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<int64_t>(i);
  return rows;
}

namespace {

Expected attention_of(const Case& given, std::span<const int64_t> rows) {
  const LargeArray<double> k = doubles_of(given, kKeys), v = doubles_of(given, kValues);
  return attend(AttentionShape(given.sizes), given, k, v, kAttended, rows);
}

std::vector<Expected> attention_of_all(const Case& given) {
  std::vector<Expected> out;
  out.push_back(attention_of(given, all_rows(AttentionShape(given.sizes))));
  return out;
}

// d is 64 or 128, and there are two masks.
Sizes possible_attention(const Sizes& sizes) {
  Sizes nearest = sizes;
  nearest[3] = sizes[3] < 96 ? 64 : 128;
  nearest[4] =
      sizes[4] == kFullMask || sizes[4] == kCausalMask ? sizes[4] : kFullMask + sizes[4] % 2;
  return nearest;
}

}  // namespace

AttentionShape::AttentionShape(const Sizes& sizes)
    : heads(sizes[0]),
      queries(sizes[1]),
      keys(sizes[2]),
      d(sizes[3]),
      causal(sizes[4] == kCausalMask) {}

int64_t AttentionShape::visible_keys(int64_t head, int64_t query) const {
  if (!lengths.empty()) return lengths[static_cast<size_t>(head)];
  return causal ? std::clamp<int64_t>(query + 1 + keys - queries, 0, keys) : keys;
}

double AttentionShape::visible_pairs() const {
  if (!causal) return static_cast<double>(queries) * static_cast<double>(keys);
  double pairs = 0;
  for (int64_t query = 0; query < queries; ++query)
    pairs += static_cast<double>(visible_keys(0, query));
  return pairs;
}

Problem attention() {
  return {
      .id = "attention",
      .signature =
          "(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, __nv_bfloat16* out, "
          "int heads, int queries, int keys, int d, int mask, cudaStream_t stream)",
      .size_names = {"heads", "queries", "keys", "d", "mask"},
      .buffers = [](const Sizes& s) -> std::vector<Buffer> {
        return {{"q", Role::input, {s[0] * s[1], s[3]}, Type::bfloat16},
                {"k", Role::input, {s[0] * s[2], s[3]}, Type::bfloat16},
                {"v", Role::input, {s[0] * s[2], s[3]}, Type::bfloat16},
                {"out", Role::output, {s[0] * s[1], s[3]}, Type::bfloat16}};
      },
      // Two products with 2 d operations for each pair of a query and a key that it sees.
      .operations =
          [](const Sizes& sizes) {
            const AttentionShape shape(sizes);
            return 4 * static_cast<double>(shape.heads) * static_cast<double>(shape.d) *
                   shape.visible_pairs();
          },
      .fill =
          [](const Fill& fill) {
            fill_attention(fill);
            return true;
          },
      .reference = attention_of_all,
      .reference_of_rows = attention_of,
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const uint16_t*, const uint16_t*, const uint16_t*,
                                          uint16_t*, int, int, int, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(kQueries), with.buffer<uint16_t>(kKeys),
                     with.buffer<uint16_t>(kValues), with.buffer<uint16_t>(kAttended), with.size(0),
                     with.size(1), with.size(2), with.size(3), with.size(4), with.stream);
          },
      // Around tiles of 64 and 128; queries and keys of different numbers, with and without rows
      // that see no key. The second and fourteenth have large logits (case_plan.cpp), and the latter
      // enough keys for a float16 accumulator to overflow; of the two tiles of the fifth and the
      // ninth some rows see one. The twelfth has ascending logits, in four tiles of 128 and one more
      // key: in both directions maxima grow by 128 from tile to tile, and exp(128) does not fit into a float; and
      // the last tile takes the place of the second in a pipeline of three stages. Longer ones are
      // among the sizes of the lab.
      .edge_sizes = {{1, 1, 1, 64, 1},
                     {1, 3, 66, 64, 1},
                     {1, 63, 64, 64, 2},
                     {1, 12, 65, 64, 1},
                     {1, 65, 65, 64, 2},
                     {2, 8, 17, 64, 1},
                     {2, 1, 33, 64, 1},
                     {1, 4, 128, 64, 2},
                     {1, 12, 70, 64, 2},
                     {1, 40, 12, 64, 2},
                     {1, 16, 40, 128, 1},
                     {1, 4, 513, 64, 1},
                     {1, 33, 17, 128, 2},
                     {1, 4, 200, 64, 1},
                     {1, 1, 33, 128, 2},
                     {4, 5, 3, 64, 2},
                     {1, 129, 2, 64, 1}},
      .hidden_limit = {3, 200, 300, 128, 2},
      .hidden_step = {1, 1, 1, 64, 1},
      .nearest_possible = possible_attention,
  };
}

}  // namespace ridge::problems
