// y[i][j] = sum over di, dj = -1 .. 1 of weights[di + 1][dj + 1] * x[i + di][j + dj], zeros outside
// the image: a stencil of nine points in float32.
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

constexpr int64_t kEdge = 3, kPoints = kEdge * kEdge;

std::vector<Expected> stencilled(const Case& given) {
  const auto x = given.input<float>(0), weights = given.input<float>(1);
  const int64_t h = given.sizes[0], w = given.sizes[1];
  Expected y{2, LargeArray<double>(x.size()), LargeArray<float>(x.size())};
  rows_in_parallel(h, 8, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      for (int64_t j = 0; j < w; ++j) {
        double sum = 0, magnitude = 0;
        for (int64_t point = 0; point < kPoints; ++point) {
          const int64_t row = i + point / kEdge - 1, column = j + point % kEdge - 1;
          if (row < 0 || row >= h || column < 0 || column >= w) continue;
          const double term = static_cast<double>(x[static_cast<size_t>(row * w + column)]) *
                              static_cast<double>(weights[static_cast<size_t>(point)]);
          sum += term;
          magnitude += std::fabs(term);
        }
        const auto at = static_cast<size_t>(i * w + j);
        y.value[at] = sum;
        y.tolerance[at] = tolerance_of(Type::float32, kPoints, magnitude);
      }
  });
  return {std::move(y)};
}

// Rows are multiples of 16 bytes. One below and above tiles of 32, 64 and 128, one row, one column of
// vectors.
std::vector<Sizes> shapes_of_images() {
  return {{1, 4},    {2, 8},    {1, 64},  {3, 4},    {31, 64},  {32, 64},  {33, 68},  {7, 60},
          {64, 4},   {65, 128}, {5, 260}, {100, 36}, {32, 128}, {30, 132}, {16, 256}, {8, 1000},
          {129, 12}, {34, 64},  {63, 124}};
}

}  // namespace

Problem stencil() {
  return {
      .id = "stencil",
      .signature = "(const float* x, const float* weights, float* y, int h, int w, cudaStream_t stream)",
      .size_names = {"h", "w"},
      .buffers = [](const Sizes& s) -> std::vector<Buffer> {
        return {{"x", Role::input, {s[0], s[1]}},
                {"weights", Role::input, {kEdge, kEdge}},
                {"y", Role::output, {s[0], s[1]}}};
      },
      .operations =
          [](const Sizes& s) {
            return 2.0 * kPoints * static_cast<double>(s[0]) * static_cast<double>(s[1]);
          },
      .reference = stencilled,
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const float*, const float*, float*, int, int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.buffer<float>(2), with.size(0),
                     with.size(1), with.stream);
          },
      .edge_sizes = shapes_of_images(),
      .hidden_limit = {150, 300},
      .hidden_step = {1, 4},
      .overlaps = true,
  };
}

}  // namespace ridge::problems
