// table[indices[i]] -= rate * gradient[i], row by row, for all i; an index of -1 changes nothing.
// bfloat16 gradients, a float32 table. embedding_update_repeatable: the same, and the same bits in
// every call.
#include <cmath>
#include <numeric>

#include "harness/problems/embedding/indices.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

// {rows, cols, lookups}: many lookups per row, few, one row for all; rows of gradients are
// multiples of 16 bytes.
std::vector<Sizes> shapes_of_updates() {
  return {{1, 8, 1},     {2, 8, 31},   {7, 16, 33},   {5, 24, 100},  {100, 40, 7},  {64, 64, 64},
          {33, 128, 65}, {50, 128, 3}, {17, 136, 40}, {16, 256, 32}, {9, 264, 17},  {3, 512, 10},
          {4, 1032, 5},  {2, 2048, 3}, {1, 4104, 2},  {130, 8, 257}, {65, 120, 63}, {300, 16, 2100}};
}

// The lookups sorted by row: those of row r begin at first[r], in their original order.
struct ByRow {
  std::vector<size_t> first, lookups;
};
ByRow by_row(std::span<const int64_t> indices, int64_t rows) {
  ByRow sorted{std::vector<size_t>(static_cast<size_t>(rows) + 1), {}};
  for (const int64_t index : indices)
    if (index != kPadding) ++sorted.first[static_cast<size_t>(index) + 1];
  std::partial_sum(sorted.first.begin(), sorted.first.end(), sorted.first.begin());
  sorted.lookups.resize(sorted.first.back());
  std::vector<size_t> next(sorted.first.begin(), sorted.first.end() - 1);
  for (size_t i = 0; i < indices.size(); ++i)
    if (indices[i] != kPadding) sorted.lookups[next[static_cast<size_t>(indices[i])]++] = i;
  return sorted;
}

// n terms are added to an element one after another, in any order. Each rounding errs by up to a
// unit roundoff of the partial sum; partial sums are of the order of the element, the whole sum,
// and the root of the sum of squares. Independent roundings grow like the root of their number. If
// all terms are equal, all roundings within one binade have the same sign: a quarter of a unit of
// the whole sum per term.
float tolerance_of_update(int64_t n, double element, double sum, double root_of_squares) {
  const auto terms = static_cast<double>(n);
  const double partial_sums = std::fabs(element) + std::fabs(sum) + 4 * root_of_squares;
  const double roundings = 4 * (2 + std::sqrt(terms)) * partial_sums + terms / 4 * std::fabs(sum);
  return static_cast<float>(unit_roundoff(Type::float32) * roundings + smallest_normal(Type::float32));
}

std::vector<Expected> updated(const Case& given) {
  const auto gradient = given.input<uint16_t>(0);
  const auto indices = given.input<int64_t>(1);
  const auto table = given.input<float>(2);
  const auto cols = static_cast<size_t>(given.sizes[1]);
  const double rate = given.scalars[0];
  const ByRow sorted = by_row(indices, given.sizes[0]);
  Expected out{2, LargeArray<double>(table.size()), LargeArray<float>(table.size())};
  rows_in_parallel(given.sizes[0], 64, [&](int64_t first_row, int64_t last_row) {
    for (auto row = static_cast<size_t>(first_row); row < static_cast<size_t>(last_row); ++row) {
      const std::span lookups(sorted.lookups.begin() + static_cast<std::ptrdiff_t>(sorted.first[row]),
                              sorted.lookups.begin() + static_cast<std::ptrdiff_t>(sorted.first[row + 1]));
      for (size_t c = 0; c < cols; ++c) {
        const size_t at = row * cols + c;
        double sum = 0, squares = 0;
        for (const size_t lookup : lookups) {
          const double term = rate * static_cast<double>(text::bfloat_to_float(gradient[lookup * cols + c]));
          sum += term;
          squares += term * term;
        }
        const auto element = static_cast<double>(table[at]);
        out.value[at] = element - sum;
        out.tolerance[at] =
            lookups.empty()
                ? 0.0f
                : tolerance_of_update(static_cast<int64_t>(lookups.size()), element, sum, std::sqrt(squares));
      }
    }
  });
  return {std::move(out)};
}

}  // namespace

Problem embedding_update() {
  return {
      .id = "embedding_update",
      .signature =
          "(const __nv_bfloat16* gradient, const int64_t* indices, float rate, float* table, int rows, "
          "int cols, int lookups, cudaStream_t stream)",
      .size_names = {"rows", "cols", "lookups"},
      .scalar_names = {"rate"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"gradient", Role::input, {sizes[2], sizes[1]}, Type::bfloat16},
                {"indices", Role::input, {sizes[2]}, Type::int64},
                {"table", Role::in_out, {sizes[0], sizes[1]}, Type::float32}};
      },
      // A multiplication and an addition per element of a gradient; one lookup in 32 is padding and
      // needs none.
      .operations =
          [](const Sizes& sizes) {
            return 2 * static_cast<double>(sizes[1]) * static_cast<double>(sizes[2]) * (kPaddedOneIn - 1) /
                   kPaddedOneIn;
          },
      // A row that is named several times is read and written once, and stays in a cache in
      // between.
      .touched =
          [](const Case& given) {
            const auto cols = static_cast<double>(given.sizes[1]), lookups = static_cast<double>(given.sizes[2]);
            const IndexCounts counts = counts_of(given.input<int64_t>(1), given.sizes[0]);
            const double rows_bytes = static_cast<double>(counts.distinct) * cols * kFloatBytes;
            return Touched{static_cast<double>(counts.valid) * cols * kBfloat16Bytes + lookups * kIndexBytes +
                               rows_bytes,
                           rows_bytes, lookups * cols};
          },
      .fill =
          [](const Fill& fill) {
            if (fill.buffer != 1) return false;
            draw_indices({reinterpret_cast<int64_t*>(fill.data.data()), fill.data.size() / sizeof(int64_t)},
                         fill.sizes[0], distribution_of(fill.draw, Distribution::zipf), fill.seed);
            return true;
          },
      .reference = updated,
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const uint16_t*, const int64_t*, float, float*, int, int, int, Stream)>(
                    entry);
            function(with.buffer<uint16_t>(0), with.buffer<int64_t>(1), with.scalar(0), with.buffer<float>(2),
                     with.size(0), with.size(1), with.size(2), with.stream);
          },
      .edge_sizes = shapes_of_updates(),
      .hidden_limit = {200, 200, 300},
      .hidden_step = {1, 8, 1},
  };
}

Problem embedding_update_repeatable() {
  Problem problem = embedding_update();
  problem.id = "embedding_update_repeatable";
  problem.repeatable = true;
  return problem;
}

}  // namespace ridge::problems
