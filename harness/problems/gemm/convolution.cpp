// y [n][h][w][k] = x [n][h][w][c] convolved with filter [k][r][r][c], r odd, zero padding, stride
// 1. Images are NHWC, filters KRSC; bfloat16 with float32 accumulators.
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

std::vector<Expected> convolve(const Case& given) {
  const int64_t n = given.sizes[0], h = given.sizes[1], w = given.sizes[2], c = given.sizes[3],
                k = given.sizes[4], r = given.sizes[5];
  const LargeArray<double> x = doubles_of(given, 0), filter = doubles_of(given, 1);
  const auto elements = static_cast<size_t>(n * h * w * k);
  Expected y{2, LargeArray<double>(elements), LargeArray<float>(elements)};
  rows_in_parallel(n * h, 1, [&](int64_t first, int64_t) {
    const int64_t image = first / h, row = first % h;
    for (int64_t column = 0; column < w; ++column)
      for (int64_t out = 0; out < k; ++out) {
        double sum = 0, magnitude = 0;
        for (int64_t i = 0; i < r * r; ++i) {
          const int64_t from_row = row + i / r - r / 2, from_column = column + i % r - r / 2;
          if (from_row < 0 || from_row >= h || from_column < 0 || from_column >= w) continue;
          const double* pixel = &x[static_cast<size_t>(((image * h + from_row) * w + from_column) * c)];
          const double* weights = &filter[static_cast<size_t>((out * r * r + i) * c)];
          for (int64_t channel = 0; channel < c; ++channel) {
            const double product = pixel[channel] * weights[channel];
            sum += product;
            magnitude += std::fabs(product);
          }
        }
        const auto at = static_cast<size_t>(((image * h + row) * w + column) * k + out);
        y.value[at] = sum;
        y.tolerance[at] = tolerance_of(Type::float32, r * r * c, magnitude) +
                          static_cast<float>(unit_roundoff(Type::bfloat16) * std::fabs(sum));
      }
  });
  return {std::move(y)};
}

}  // namespace

Problem convolution() {
  return {
      .id = "convolution",
      .signature =
          "(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y, int n, int h, int w, int "
          "c, int k, "
          "int r, cudaStream_t stream)",
      .size_names = {"n", "h", "w", "c", "k", "r"},
      .buffers = [](const Sizes& s) -> std::vector<Buffer> {
        return {{"x", Role::input, {s[0], s[1], s[2], s[3]}, Type::bfloat16},
                {"filter", Role::input, {s[4], s[5], s[5], s[3]}, Type::bfloat16},
                {"y", Role::output, {s[0], s[1], s[2], s[4]}, Type::bfloat16}};
      },
      .operations =
          [](const Sizes& s) {
            double products = 2;
            for (int64_t size : {s[0], s[1], s[2], s[3], s[4], s[5], s[5]})
              products *= static_cast<double>(size);
            return products;
          },
      .reference = convolve,
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const uint16_t*, const uint16_t*, uint16_t*, int, int,
                                                      int, int, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(0), with.buffer<uint16_t>(1), with.buffer<uint16_t>(2),
                     with.size(0), with.size(1), with.size(2), with.size(3), with.size(4), with.size(5),
                     with.stream);
          },
      .edge_sizes = {{1, 1, 1, 1, 1, 1},
                     {1, 1, 1, 3, 5, 3},
                     {2, 5, 7, 8, 8, 3},
                     {1, 33, 31, 3, 9, 3},
                     {1, 8, 8, 17, 16, 5},
                     {3, 16, 15, 16, 33, 1},
                     {1, 2, 40, 32, 8, 3},
                     {1, 9, 1, 64, 8, 7},
                     {1, 1, 65, 8, 8, 3},
                     {5, 3, 3, 8, 24, 3},
                     {1, 16, 16, 8, 8, 5},
                     {1, 17, 15, 33, 7, 3},
                     {2, 4, 4, 64, 65, 3},
                     {1, 7, 7, 1, 31, 7},
                     {1, 32, 32, 4, 4, 1},
                     {4, 2, 2, 5, 3, 3}},
      .hidden_limit = {2, 24, 24, 32, 32, 1},
  };
}

}  // namespace ridge::problems
