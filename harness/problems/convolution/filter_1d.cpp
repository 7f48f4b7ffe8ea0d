// y[i] = sum over j of filter[j] * x[i * stride + j - padding], zeros outside x: a filter of one
// dimension in float32.
#include <cmath>

#include "harness/problems/convolution/shape.h"
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

std::vector<Expected> filtered(const Case& given) {
  const auto x = given.input<float>(0), filter = given.input<float>(1);
  const int64_t n = given.sizes[0], r = given.sizes[1], stride = given.sizes[2], padding = given.sizes[3];
  const auto outputs = static_cast<size_t>(outputs_along(n, r, stride, padding));
  Expected y{2, LargeArray<double>(outputs), LargeArray<float>(outputs)};
  elements_in_parallel(outputs, [&](size_t i) {
    double sum = 0, magnitude = 0;
    for (int64_t j = 0; j < r; ++j) {
      const int64_t from = static_cast<int64_t>(i) * stride + j - padding;
      if (from < 0 || from >= n) continue;
      const double term =
          static_cast<double>(x[static_cast<size_t>(from)]) * static_cast<double>(filter[static_cast<size_t>(j)]);
      sum += term;
      magnitude += std::fabs(term);
    }
    y.value[i] = sum;
    y.tolerance[i] = tolerance_of(Type::float32, r, magnitude);
  });
  return {std::move(y)};
}

// {n, r, stride, padding}: every filter, stride and padding, and x shorter than the filter.
std::vector<Sizes> shapes_of_filters() {
  return {{1, 1, 1, 0},    {1, 3, 1, 1},    {1, 7, 2, 3},     {2, 5, 1, 3},    {3, 3, 2, 0},
          {31, 3, 1, 1},   {32, 5, 1, 2},   {33, 7, 1, 3},    {100, 2, 2, 0},  {127, 4, 2, 1},
          {255, 3, 1, 0},  {256, 3, 1, 1},  {257, 3, 2, 1},   {258, 3, 1, 0},  {511, 7, 2, 3},
          {512, 1, 2, 0},  {1009, 5, 1, 3}, {1025, 6, 1, 2},  {2049, 7, 1, 0}, {4097, 3, 1, 3}};
}

}  // namespace

Problem filter_1d() {
  return {
      .id = "filter_1d",
      .signature =
          "(const float* x, const float* filter, float* y, int n, int r, int stride, int padding, "
          "cudaStream_t stream)",
      .size_names = {"n", "r", "stride", "padding"},
      .buffers = [](const Sizes& s) -> std::vector<Buffer> {
        return {{"x", Role::input, {s[0]}},
                {"filter", Role::input, {s[1]}},
                {"y", Role::output, {outputs_along(s[0], s[1], s[2], s[3])}}};
      },
      .operations =
          [](const Sizes& s) {
            return 2 * static_cast<double>(outputs_along(s[0], s[1], s[2], s[3])) * static_cast<double>(s[1]);
          },
      .reference = filtered,
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const float*, const float*, float*, int, int, int, int,
                                                      Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.buffer<float>(2), with.size(0),
                     with.size(1), with.size(2), with.size(3), with.stream);
          },
      .edge_sizes = shapes_of_filters(),
      .hidden_limit = {3000, kLargestFilter, kLargestStride, kLargestPadding},
      .least = {1, 1, 1, 0},
      .nearest_possible = possible_filter_1d,
      .overlaps = true,
  };
}

}  // namespace ridge::problems
