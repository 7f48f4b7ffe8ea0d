// out = the elements of `in` in ascending order.
#include <algorithm>

#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

constexpr int64_t kSortedAtATime = int64_t{1} << 18;

// Sorts parts in parallel, then merges pairs of neighbours, twice as long in every round.
LargeArray<float> in_order(std::span<const float> in) {
  const auto n = static_cast<int64_t>(in.size());
  LargeArray<float> from(in.size()), to(in.size());
  rows_in_parallel(n, kSortedAtATime, [&](int64_t first, int64_t last) {
    std::copy(in.begin() + first, in.begin() + last, from.begin() + first);
    std::sort(from.begin() + first, from.begin() + last);
  });
  for (int64_t length = kSortedAtATime; length < n; length *= 2) {
    rows_in_parallel(n, 2 * length, [&](int64_t first, int64_t last) {
      const int64_t middle = std::min(first + length, last);
      std::merge(from.begin() + first, from.begin() + middle, from.begin() + middle,
                 from.begin() + last, to.begin() + first);
    });
    std::swap(from, to);
  }
  return from;
}

std::vector<Expected> elements_sorted(const Case& given) {
  const LargeArray<float> found = in_order(given.input<float>(0));
  // A tolerance of 0 compares values: zeros of both signs are equal, and their order is free.
  Expected out{1, LargeArray<double>(found.size()), LargeArray<float>(found.size())};
  elements_in_parallel(found.size(), [&](size_t i) {
    out.value[i] = static_cast<double>(found[i]);
    out.tolerance[i] = 0;
  });
  return {std::move(out)};
}

}  // namespace

Problem radix_sort() {
  return {
      .id = "radix_sort",
      .signature = "(const float* in, float* out, int n, cudaStream_t stream)",
      .size_names = {"n"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0]}}, {"out", Role::output, {sizes[0]}}};
      },
      .operations = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .reference = elements_sorted,
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const float*, float*, int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.size(0), with.stream);
          },
      .edge_sizes = {{1}, {31}, {33}, {255}, {257}, {1009}, {4097}, {8191}, {8193},
                     {2}, {32}, {100}, {256}, {511}, {2049}},
      .hidden_limit = {20000},
  };
}

}  // namespace ridge::problems
