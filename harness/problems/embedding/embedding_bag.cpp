// out[b] = sum of table[indices[i]] over offsets[b] <= i < offsets[b + 1]; an index of -1 adds
// nothing. bfloat16 rows, sums in float32, rounded once.
#include <cmath>

#include "harness/problems/embedding/indices.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

// {rows, cols, lookups, bags}: from no lookup per bag to very many; rows are multiples of 16 bytes.
std::vector<Sizes> shapes_of_bags() {
  return {{1, 8, 1, 1},       {2, 8, 31, 5},     {7, 16, 33, 40},   {5, 24, 100, 1},  {100, 40, 7, 3},
          {64, 64, 64, 2},    {33, 128, 65, 9},  {50, 128, 300, 4}, {17, 136, 40, 7}, {16, 256, 32, 32},
          {9, 264, 17, 5},    {3, 512, 10, 4},   {4, 1032, 50, 2},  {2, 2048, 3, 2},  {1, 4104, 2, 1},
          {130, 8, 1025, 17}, {65, 120, 63, 64}, {90, 128, 900, 30}};
}

std::vector<Expected> bags_added(const Case& given) {
  const auto table = given.input<uint16_t>(0);
  const auto indices = given.input<int64_t>(1), offsets = given.input<int64_t>(2);
  const auto cols = static_cast<size_t>(given.sizes[1]);
  const size_t elements = static_cast<size_t>(given.sizes[3]) * cols;
  Expected out{3, LargeArray<double>(elements), LargeArray<float>(elements)};
  rows_in_parallel(given.sizes[3], 1, [&](int64_t bag, int64_t) {
    const auto begin = static_cast<size_t>(offsets[static_cast<size_t>(bag)]),
               end = static_cast<size_t>(offsets[static_cast<size_t>(bag) + 1]);
    std::vector<double> sum(cols), magnitude(cols);
    int64_t terms = 0;
    for (size_t i = begin; i < end; ++i) {
      if (indices[i] == kPadding) continue;
      ++terms;
      for (size_t c = 0; c < cols; ++c) {
        const auto value =
            static_cast<double>(text::bfloat_to_float(table[static_cast<size_t>(indices[i]) * cols + c]));
        sum[c] += value;
        magnitude[c] += std::fabs(value);
      }
    }
    for (size_t c = 0; c < cols; ++c) {
      const size_t at = static_cast<size_t>(bag) * cols + c;
      out.value[at] = sum[c];
      out.tolerance[at] = tolerance_of(Type::float32, terms, magnitude[c]) +
                          static_cast<float>(unit_roundoff(Type::bfloat16) * std::fabs(sum[c]) +
                                             smallest_normal(Type::bfloat16));
    }
  });
  return {std::move(out)};
}

}  // namespace

Problem embedding_bag() {
  return {
      .id = "embedding_bag",
      .signature =
          "(const __nv_bfloat16* table, const int64_t* indices, const int64_t* offsets, __nv_bfloat16* out, "
          "int rows, int cols, int lookups, int bags, cudaStream_t stream)",
      .size_names = {"rows", "cols", "lookups", "bags"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"table", Role::input, {sizes[0], sizes[1]}, Type::bfloat16},
                {"indices", Role::input, {sizes[2]}, Type::int64},
                {"offsets", Role::input, {sizes[3] + 1}, Type::int64},
                {"out", Role::output, {sizes[3], sizes[1]}, Type::bfloat16}};
      },
      // One addition per element of a row; one lookup in 32 is padding and needs none.
      .operations =
          [](const Sizes& sizes) {
            return static_cast<double>(sizes[1]) * static_cast<double>(sizes[2]) * (kPaddedOneIn - 1) /
                   kPaddedOneIn;
          },
      // A row that is named several times is read from memory once, then from a cache.
      .touched =
          [](const Case& given) {
            const auto cols = static_cast<double>(given.sizes[1]), lookups = static_cast<double>(given.sizes[2]),
                       bags = static_cast<double>(given.sizes[3]);
            const IndexCounts counts = counts_of(given.input<int64_t>(1), given.sizes[0]);
            return Touched{static_cast<double>(counts.distinct) * cols * kBfloat16Bytes +
                               (lookups + bags + 1) * kIndexBytes,
                           bags * cols * kBfloat16Bytes, lookups * cols};
          },
      .fill =
          [](const Fill& fill) {
            if (fill.buffer != 1 && fill.buffer != 2) return false;
            const std::span numbers(reinterpret_cast<int64_t*>(fill.data.data()),
                                    fill.data.size() / sizeof(int64_t));
            if (fill.buffer == 1)
              draw_indices(numbers, fill.sizes[0], distribution_of(fill.draw, Distribution::uniform), fill.seed);
            else
              draw_offsets(numbers, fill.sizes[2], fill.seed);
            return true;
          },
      .reference = bags_added,
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const uint16_t*, const int64_t*, const int64_t*, uint16_t*,
                                                      int, int, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(0), with.buffer<int64_t>(1), with.buffer<int64_t>(2),
                     with.buffer<uint16_t>(3), with.size(0), with.size(1), with.size(2), with.size(3),
                     with.stream);
          },
      .edge_sizes = shapes_of_bags(),
      .hidden_limit = {200, 200, 400, 60},
      .hidden_step = {1, 8, 1, 1},
  };
}

}  // namespace ridge::problems
