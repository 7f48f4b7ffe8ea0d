// out[0] = in[0] + ... + in[n - 1]
#include <algorithm>
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

// The sum of all magnitudes would be far too wide a measure here: of n numbers uniform in [-1, 1] it is n /
// 2, and their sum about sqrt(n / 3). What rounding does depends on the partial sums that are rounded. A
// kernel sums some 256 numbers in a tree, whose partial sums are about the root of the squares' sum, and then
// adds n / 256 of such sums one after another, in the worst case, whose partial sums are about the largest
// prefix. Roundings are independent: they add up like the root of their number. Four times that.
float tolerance_of_sum(int64_t n, double root_of_squares, double largest_prefix) {
  const double roundings = 8 + std::sqrt(static_cast<double>(n) / 256);
  const double partial_sums = largest_prefix + 4 * root_of_squares;
  return static_cast<float>(4 * roundings * unit_roundoff(Type::float32) * partial_sums +
                            smallest_normal(Type::float32));
}

}  // namespace

Problem sum() {
  return {
      .id = "sum",
      .signature = "(const float* in, float* out, int n, cudaStream_t stream)",
      .size_names = {"n"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0]}}, {"out", Role::output, {1}}};
      },
      .operations = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .reference = [](const Case& given) -> std::vector<Expected> {
        double total = 0, squares = 0, largest = 0;
        for (float value : given.input<float>(0)) {
          total += static_cast<double>(value);
          squares += static_cast<double>(value) * static_cast<double>(value);
          largest = std::max(largest, std::fabs(total));
        }
        return {Expected{1, {total}, {tolerance_of_sum(given.sizes[0], std::sqrt(squares), largest)}}};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const float*, float*, int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.size(0), with.stream);
          },
      .edge_sizes = edge_sizes_1d(),
      .hidden_limit = {6000},
  };
}

}  // namespace ridge::problems
