// out[i] = table[indices[i]], row by row; zeros where the index is -1. bfloat16, bit for bit.
#include "harness/problems/embedding/indices.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

// {rows, cols, lookups}: rows are multiples of 16 bytes; fewer and more lookups than rows, one
// below and above a warp.
std::vector<Sizes> shapes_of_lookups() {
  return {{1, 8, 1},     {2, 8, 31},   {7, 16, 33},   {5, 24, 100},  {100, 40, 7},  {64, 64, 64},
          {33, 128, 65}, {50, 128, 3}, {17, 136, 40}, {16, 256, 32}, {9, 264, 17},  {3, 512, 10},
          {4, 1032, 5},  {2, 2048, 3}, {1, 4104, 2},  {130, 8, 257}, {65, 120, 63}, {200, 32, 129}};
}

std::vector<Expected> looked_up(const Case& given) {
  const auto table = given.input<uint16_t>(0);
  const auto indices = given.input<int64_t>(1);
  const auto cols = static_cast<size_t>(given.sizes[1]);
  Expected out{2, LargeArray<double>(indices.size() * cols), {}};
  elements_in_parallel(out.value.size(), [&](size_t i) {
    const int64_t row = indices[i / cols];
    const auto at = row == kPadding ? 0 : static_cast<size_t>(row) * cols + i % cols;
    out.value[i] = row == kPadding ? 0.0 : static_cast<double>(text::bfloat_to_float(table[at]));
  });
  return {std::move(out)};
}

}  // namespace

Problem embedding_lookup() {
  return {
      .id = "embedding_lookup",
      .signature =
          "(const __nv_bfloat16* table, const int64_t* indices, __nv_bfloat16* out, int rows, int cols, "
          "int lookups, cudaStream_t stream)",
      .size_names = {"rows", "cols", "lookups"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"table", Role::input, {sizes[0], sizes[1]}, Type::bfloat16},
                {"indices", Role::input, {sizes[2]}, Type::int64},
                {"out", Role::output, {sizes[2], sizes[1]}, Type::bfloat16}};
      },
      .operations = [](const Sizes&) { return 0.0; },
      // A row that is named several times is read from memory once, then from a cache.
      .touched =
          [](const Case& given) {
            const auto cols = static_cast<double>(given.sizes[1]), lookups = static_cast<double>(given.sizes[2]);
            const IndexCounts counts = counts_of(given.input<int64_t>(1), given.sizes[0]);
            return Touched{static_cast<double>(counts.distinct) * cols * kBfloat16Bytes + lookups * kIndexBytes,
                           lookups * cols * kBfloat16Bytes, lookups * cols};
          },
      .fill =
          [](const Fill& fill) {
            if (fill.buffer != 1) return false;
            draw_indices({reinterpret_cast<int64_t*>(fill.data.data()), fill.data.size() / sizeof(int64_t)},
                         fill.sizes[0], distribution_of(fill.draw, Distribution::uniform), fill.seed);
            return true;
          },
      .reference = looked_up,
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const uint16_t*, const int64_t*, uint16_t*, int, int, int, Stream)>(
                    entry);
            function(with.buffer<uint16_t>(0), with.buffer<int64_t>(1), with.buffer<uint16_t>(2), with.size(0),
                     with.size(1), with.size(2), with.stream);
          },
      .edge_sizes = shapes_of_lookups(),
      .hidden_limit = {200, 300, 200},
      .hidden_step = {1, 8, 1},
  };
}

}  // namespace ridge::problems
