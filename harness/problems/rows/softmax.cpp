// out[r][c] = exp(in[r][c]) / (exp(in[r][0]) + ... + exp(in[r][cols - 1]))
#include <algorithm>
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows/row_sizes.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

// `below` is how far the element lies below the row's largest. A kernel rounds that difference once, and the
// argument of a fast exponential, its product with log2(e), once more: each error is up to a unit roundoff of
// the difference, and an absolute error of the argument is a relative one of the result. A fast exponential,
// a quotient and a few rescalings err by some units more. The row's sum: where all terms differ, roundings
// are independent and err by about the root of their number. But a row that is half zeros adds the same
// number over and over, every rounding of which goes the same way: one thread that adds all terms in turn was
// seen to err by 504 units for 4096 of them, 3444 for 32,772. That is poor and not wrong. Inputs cut to
// float16 err by up to 4096 units, whatever the length, so what the sum is allowed ends below that: a long
// row has enough elements that err by nearly as much, and a sum that lacks some of them shows.
float tolerance_of_softmax(int64_t cols, double below, double value) {
  constexpr double kMostOfTheSum = 3600;
  const auto terms = static_cast<double>(cols);
  const double roundings = 12 + std::min(2 * std::sqrt(terms) + terms / 8, kMostOfTheSum) + 4 * below;
  return static_cast<float>(roundings * unit_roundoff(Type::float32) * value +
                            smallest_normal(Type::float32));
}

}  // namespace

Problem softmax() {
  return {
      .id = "softmax",
      .signature = "(const float* in, float* out, int rows, int cols, cudaStream_t stream)",
      .size_names = {"rows", "cols"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0], sizes[1]}}, {"out", Role::output, {sizes[0], sizes[1]}}};
      },
      // A comparison, a difference, an exponential, an addition and a product an element.
      .operations =
          [](const Sizes& sizes) {
            return 5 * static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]);
          },
      .reference = [](const Case& given) -> std::vector<Expected> {
        const auto in = given.input<float>(0);
        const int64_t cols = given.sizes[1];
        Expected out{1, LargeArray<double>(in.size()), LargeArray<float>(in.size())};
        rows_in_parallel(given.sizes[0], 1, [&](int64_t row, int64_t) {
          const auto begin = static_cast<size_t>(row * cols), end = static_cast<size_t>((row + 1) * cols);
          double largest = in[begin], sum = 0;
          for (size_t i = begin; i < end; ++i)
            largest = std::max(largest, static_cast<double>(in[i]));
          for (size_t i = begin; i < end; ++i)
            sum += out.value[i] = std::exp(in[i] - largest);
          for (size_t i = begin; i < end; ++i) {
            out.value[i] /= sum;
            out.tolerance[i] = tolerance_of_softmax(cols, largest - in[i], out.value[i]);
          }
        });
        return {std::move(out)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const float*, float*, int, int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.size(0), with.size(1), with.stream);
          },
      .edge_sizes = edge_sizes_of_rows(),
      .hidden_limit = {40, 3000},
  };
}

}  // namespace ridge::problems
