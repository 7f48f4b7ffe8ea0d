// One step of decoding: a new token's queries attend to all keys of their sequence. The query heads
// that share a key-value head are the rows of one small attention.
#include <algorithm>

#include "harness/problems/attention/attention.h"
#include "harness/problems/attention/draws.h"

namespace ridge::problems {

namespace {

constexpr int64_t kHeadColumns = 128;

// {batch, kv_heads, group, keys} as an attention of batch * kv_heads heads with `group` queries.
Sizes as_attention(const Sizes& sizes) {
  return {sizes[0] * sizes[1], sizes[2], sizes[3], kHeadColumns, kFullMask};
}

Expected attended_by_group(const Case& given, std::span<const int64_t> rows) {
  const LargeArray<double> k = doubles_of(given, kKeys), v = doubles_of(given, kValues);
  return attend(AttentionShape(as_attention(given.sizes)), given, k, v, kAttended, rows);
}

std::vector<Expected> all_attended_by_groups(const Case& given) {
  std::vector<Expected> out;
  out.push_back(attended_by_group(given, all_rows(AttentionShape(as_attention(given.sizes)))));
  return out;
}

}  // namespace

Problem decode_attention() {
  return {
      .id = "decode_attention",
      .signature =
          "(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, __nv_bfloat16* out, "
          "int batch, int kv_heads, int group, int keys, cudaStream_t stream)",
      .size_names = {"batch", "kv_heads", "group", "keys"},
      .buffers = [](const Sizes& s) -> std::vector<Buffer> {
        const int64_t heads = s[0] * s[1];
        return {{"q", Role::input, {heads * s[2], kHeadColumns}, Type::bfloat16},
                {"k", Role::input, {heads * s[3], kHeadColumns}, Type::bfloat16},
                {"v", Role::input, {heads * s[3], kHeadColumns}, Type::bfloat16},
                {"out", Role::output, {heads * s[2], kHeadColumns}, Type::bfloat16}};
      },
      .operations =
          [](const Sizes& sizes) {
            const AttentionShape shape(as_attention(sizes));
            return 4 * static_cast<double>(shape.heads) * static_cast<double>(shape.d) *
                   shape.visible_pairs();
          },
      .fill =
          [](const Fill& fill) {
            const Sizes sizes = as_attention(fill.sizes);
            fill_attention({sizes, fill.buffer, fill.draw, fill.seed, fill.data});
            return true;
          },
      .reference = all_attended_by_groups,
      .reference_of_rows = attended_by_group,
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const uint16_t*, const uint16_t*, const uint16_t*,
                                          uint16_t*, int, int, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(kQueries), with.buffer<uint16_t>(kKeys),
                     with.buffer<uint16_t>(kValues), with.buffer<uint16_t>(kAttended), with.size(0),
                     with.size(1), with.size(2), with.size(3), with.stream);
          },
      // Around tiles of 16, 64 and 128 keys, every number of query heads per key-value head, and few
      // heads with many keys beside many heads with few.
      .edge_sizes = {{1, 1, 1, 1},
                     {1, 1, 2, 2},
                     {1, 2, 7, 15},
                     {2, 1, 8, 16},
                     {1, 1, 3, 17},
                     {3, 2, 2, 3},
                     {1, 1, 1, 31},
                     {1, 1, 5, 33},
                     {1, 1, 8, 63},
                     {1, 1, 4, 64},
                     {1, 1, 6, 65},
                     {5, 1, 1, 7},
                     {2, 2, 1, 9},
                     {1, 1, 8, 127},
                     {1, 1, 1, 128},
                     {1, 1, 2, 129},
                     {10, 1, 1, 3}},
      .hidden_limit = {4, 4, 8, 600},
      .nearest_possible =
          [](const Sizes& sizes) {
            constexpr int64_t kMostQueries = 8;
            Sizes nearest = sizes;
            nearest[2] = std::min(nearest[2], kMostQueries);
            return nearest;
          },
  };
}

}  // namespace ridge::problems
