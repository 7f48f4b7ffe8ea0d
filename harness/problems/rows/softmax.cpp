// out[r][c] = exp(in[r][c]) / (exp(in[r][0]) + ... + exp(in[r][cols - 1]))
#include <algorithm>
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows/row_sizes.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

// `below` is the difference between the row's largest element and this one. A kernel rounds that
// difference once, and once more the argument of a fast exponential, its product with log2(e). Each
// error is up to a unit roundoff of the difference, and an absolute error of the argument is a
// relative error of the result. A fast exponential, a quotient and a few rescalings add some units.
// The row's sum: if all terms differ, roundings are independent and their error grows like the root
// of their number. But a row that is half zeros adds the same number repeatedly, and all these
// roundings have the same sign: one thread that adds all terms in order erred by 504 units for 4096
// of them, 3444 for 32,772. That is inaccurate but not wrong. Inputs truncated to float16 err by up
// to 4096 units at any length, so the allowance for the sum ends below that: a long row has enough
// elements with nearly that error, and a sum with missing terms is detected.
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
      // A comparison, a difference, an exponential, an addition and a product per element.
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
