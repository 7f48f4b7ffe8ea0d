// Attention over a ragged batch: sequences of different lengths one behind the other, and several
// query heads per key-value head.
#include <algorithm>
#include <bit>

#include "harness/problems/attention/attention.h"
#include "harness/problems/attention/draws.h"
#include "harness/problems/attention/ragged_lengths.h"

namespace ridge::problems {

namespace {

constexpr int64_t kRaggedColumns = 128;
constexpr size_t kQueryStarts = 3, kKeyStarts = 4, kRaggedResult = 5;

// The sizes by name: queries and keys are those of all sequences together.
struct RaggedShape {
  explicit RaggedShape(const Sizes& s)
      : sequences(s[0]),
        queries(s[1]),
        keys(s[2]),
        kv_heads(s[3]),
        group(s[4]),
        causal(s[5] == kCausalMask) {}
  int64_t sequences, queries, keys, kv_heads, group;
  bool causal;
  int64_t heads() const { return kv_heads * group; }
  int64_t visible_keys(int64_t query, int64_t own_queries, int64_t own_keys) const {
    return causal ? std::clamp<int64_t>(query + 1 + own_keys - own_queries, 0, own_keys) : own_keys;
  }
};

// The keys that a row [query][head] sees.
SeenKeys seen_by(const RaggedShape& s, std::span<const int32_t> query_starts,
                 std::span<const int32_t> key_starts, int64_t row) {
  const int64_t query = row / s.heads(), head = row % s.heads();
  // The last sequence that begins at or before the query: empty ones begin where the next one does.
  const auto next = std::upper_bound(query_starts.begin(), query_starts.end(), query);
  const auto sequence = static_cast<size_t>(next - query_starts.begin()) - 1;
  const int64_t queries = query_starts[sequence + 1] - query_starts[sequence],
                keys = key_starts[sequence + 1] - key_starts[sequence];
  return {key_starts[sequence] * s.kv_heads + head / s.group, s.kv_heads,
          s.visible_keys(query - query_starts[sequence], queries, keys)};
}

Expected ragged_rows(const Case& given, std::span<const int64_t> rows) {
  const RaggedShape s(given.sizes);
  const auto query_starts = given.input<int32_t>(kQueryStarts);
  const auto key_starts = given.input<int32_t>(kKeyStarts);
  const LargeArray<double> k = doubles_of(given, kKeys), v = doubles_of(given, kValues);
  return attend_rows(given, k, v, kRaggedColumns, kRaggedResult, rows,
                     [&](int64_t row) { return seen_by(s, query_starts, key_starts, row); });
}

std::vector<Expected> all_ragged_rows(const Case& given) {
  const RaggedShape s(given.sizes);
  const AttentionShape rows({1, s.queries * s.heads(), 1, kRaggedColumns, kFullMask});
  std::vector<Expected> out;
  out.push_back(ragged_rows(given, all_rows(rows)));
  return out;
}

bool fill_ragged(const Fill& fill) {
  const RaggedShape s(fill.sizes);
  if (fill.buffer == kQueryStarts || fill.buffer == kKeyStarts) {
    const int64_t total = fill.buffer == kQueryStarts ? s.queries : s.keys;
    const std::vector<int64_t> starts =
        starts_of(ragged_lengths(s.sequences, total, fill.draw, fill.seed));
    for (size_t i = 0; i < starts.size(); ++i)
      store_element(Type::int32, fill.data.data(), static_cast<int64_t>(i),
                    static_cast<double>(starts[i]));
    return true;
  }
  const Sizes one_head = {1, s.queries * s.heads(), s.keys * s.kv_heads, kRaggedColumns, kFullMask};
  fill_attention({one_head, fill.buffer, fill.draw, fill.seed, fill.data});
  return true;
}

// The operations of the uniform draw, which is the one that is timed and counted.
double operations_of(const Sizes& sizes) {
  const RaggedShape s(sizes);
  const auto lengths_of = [&](int64_t total) {
    return ragged_lengths(s.sequences, total, Draw::uniform, 0);
  };
  const std::vector<int64_t> queries = lengths_of(s.queries), keys = lengths_of(s.keys);
  double pairs = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    const auto n = static_cast<double>(queries[i]), m = static_cast<double>(keys[i]);
    // Causal: the last query sees m keys, each one before it one less, down to none.
    const double seeing = std::min(n, m);
    pairs += s.causal ? seeing * m - seeing * (seeing - 1) / 2 : n * m;
  }
  return 4 * static_cast<double>(s.heads() * kRaggedColumns) * pairs;
}

// The group is a power of two up to 8, and there are two masks.
Sizes possible_ragged(const Sizes& sizes) {
  constexpr int64_t kMostSequences = 1024, kLargestGroup = 8;
  Sizes nearest = sizes;
  nearest[0] = std::min(sizes[0], kMostSequences);
  nearest[4] = static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(std::clamp<int64_t>(sizes[4], 1, kLargestGroup))));
  nearest[5] =
      sizes[5] == kFullMask || sizes[5] == kCausalMask ? sizes[5] : kFullMask + sizes[5] % 2;
  return nearest;
}

}  // namespace

Problem varlen_attention() {
  return {
      .id = "varlen_attention",
      .signature =
          "(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, const int* cu_seqlens_q, "
          "const int* cu_seqlens_k, __nv_bfloat16* out, int sequences, int queries, int keys, int kv_heads, "
          "int group, int mask, cudaStream_t stream)",
      .size_names = {"sequences", "queries", "keys", "kv_heads", "group", "mask"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        const RaggedShape s(sizes);
        return {{"q", Role::input, {s.queries * s.heads(), kRaggedColumns}, Type::bfloat16},
                {"k", Role::input, {s.keys * s.kv_heads, kRaggedColumns}, Type::bfloat16},
                {"v", Role::input, {s.keys * s.kv_heads, kRaggedColumns}, Type::bfloat16},
                {"cu_seqlens_q", Role::input, {s.sequences + 1}, Type::int32},
                {"cu_seqlens_k", Role::input, {s.sequences + 1}, Type::int32},
                {"out", Role::output, {s.queries * s.heads(), kRaggedColumns}, Type::bfloat16}};
      },
      .operations = operations_of,
      .fill = fill_ragged,
      .reference = all_ragged_rows,
      .reference_of_rows = ragged_rows,
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(
                const uint16_t*, const uint16_t*, const uint16_t*, const int32_t*, const int32_t*,
                uint16_t*, int, int, int, int, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(kQueries), with.buffer<uint16_t>(kKeys),
                     with.buffer<uint16_t>(kValues), with.buffer<int32_t>(kQueryStarts),
                     with.buffer<int32_t>(kKeyStarts), with.buffer<uint16_t>(kRaggedResult),
                     with.size(0), with.size(1), with.size(2), with.size(3), with.size(4),
                     with.size(5), with.stream);
          },
      // One sequence has exactly the given length. With more, lengths are drawn (ragged_lengths.h).
      // Longer ones are among the sizes of the lab.
      .edge_sizes = {{1, 1, 1, 1, 1, 1},
                     {1, 63, 65, 1, 1, 1},
                     {1, 65, 63, 1, 1, 2},
                     {3, 9, 40, 1, 1, 2},
                     {1, 1, 64, 1, 1, 2},
                     {7, 10, 12, 1, 4, 2},
                     {1, 2, 127, 1, 1, 2},
                     {2, 2, 30, 1, 8, 2},
                     {6, 5, 12, 2, 2, 1},
                     {2, 5, 1, 1, 4, 2},
                     {1, 1, 129, 1, 1, 1},
                     {16, 10, 10, 1, 1, 2},
                     {6, 6, 6, 2, 2, 1},
                     {3, 5, 6, 2, 1, 1},
                     {9, 12, 6, 1, 2, 2},
                     {5, 1, 2, 1, 1, 1}},
      .hidden_limit = {6, 120, 300, 3, 8, 2},
      .nearest_possible = possible_ragged,
  };
}

}  // namespace ridge::problems
