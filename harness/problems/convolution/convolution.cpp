// y [n][p][q][k] = x [n][h][w][c] convolved with filter [k][r][r][c], with a stride, and zeros
// around the image. Images are NHWC, filters KRSC; bfloat16 with float32 accumulators.
#include "harness/problems/convolution/readings.h"

#include <algorithm>
#include <cmath>

#include "harness/problems/gemm/product.h"
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

constexpr int64_t kPixelsAtATime = 4096;  // of the matrix of patches, which is never whole

// Copies the terms of output pixel `pixel`, in the order of a filter, to `to`. Returns their norm.
double copy_patch(const ConvolutionShape& s, const Reading& reading, const LargeArray<double>& x, int64_t pixel,
                  double* to) {
  const int64_t p = pixel / s.q() % s.p(), q = pixel % s.q(), image = pixel / (s.p() * s.q());
  double squares = 0;
  for (int64_t place = 0; place < s.r * s.r; ++place, to += s.c) {
    const int64_t at = reading.pixel(s, {image, p, q}, {place / s.r, place % s.r});
    const bool is_inside = at >= 0 && at < s.n * s.h * s.w;
    const double* from = x.data() + (is_inside ? at * s.c : 0);
    for (int64_t channel = 0; channel < s.c; ++channel) {
      to[channel] = is_inside ? from[channel] : 0;
      squares += to[channel] * to[channel];
    }
  }
  return std::sqrt(squares);
}

// The filters as they are read: [k][r][r][c].
LargeArray<double> read_filters(const ConvolutionShape& s, const Reading& reading, LargeArray<double> filter) {
  if (reading.weight == nullptr) return filter;
  LargeArray<double> read(filter.size());
  for (size_t at = 0; at < read.size(); ++at) {
    const auto term = static_cast<int64_t>(at) % s.terms();
    const int64_t from = reading.weight(s, static_cast<int64_t>(at) / s.terms(),
                                        {term / s.c / s.r, term / s.c % s.r}, term % s.c);
    read[at] = from >= 0 && from < static_cast<int64_t>(filter.size()) ? filter[static_cast<size_t>(from)] : 0;
  }
  return read;
}

std::vector<double> norms_of_filters(const ConvolutionShape& s, const LargeArray<double>& filter) {
  std::vector<double> norms(static_cast<size_t>(s.k));
  for (size_t i = 0; i < filter.size(); ++i)
    norms[i / static_cast<size_t>(s.terms())] += filter[i] * filter[i];
  for (double& norm : norms)
    norm = std::sqrt(norm);
  return norms;
}

}  // namespace

// As a product of the patches [pixels][r r c] and the filters [k][r r c]. The product of two norms
// is an upper bound of the sum of the terms' magnitudes (Cauchy-Schwarz).
std::vector<Expected> convolved(const Case& given, const Reading& reading) {
  const ConvolutionShape s(given.sizes);
  const LargeArray<double> x = doubles_of(given, 0), filter = read_filters(s, reading, doubles_of(given, 1));
  const std::vector<double> of_filters = norms_of_filters(s, filter);
  const auto elements = static_cast<size_t>(s.pixels() * s.k);
  Expected y{2, LargeArray<double>(elements), LargeArray<float>(elements)};
  const int64_t most = std::min(kPixelsAtATime, s.pixels());
  LargeArray<double> patches(static_cast<size_t>(most * s.terms()));
  std::vector<double> of_patches(static_cast<size_t>(most));
  for (int64_t first = 0; first < s.pixels(); first += most) {
    const int64_t count = std::min(most, s.pixels() - first);
    rows_in_parallel(count, 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        of_patches[static_cast<size_t>(i)] = copy_patch(s, reading, x, first + i, patches.data() + i * s.terms());
    });
    const LargeArray<double> part =
        multiply({patches.data(), static_cast<size_t>(count * s.terms())}, filter, Factor::rows_of_k, count,
                 s.k, s.terms());
    rows_in_parallel(count, 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * s.k; i < end * s.k; ++i) {
        const double value = part[static_cast<size_t>(i)],
                     magnitude = of_patches[static_cast<size_t>(i / s.k)] * of_filters[static_cast<size_t>(i % s.k)];
        const auto at = static_cast<size_t>(first * s.k + i);
        y.value[at] = value;
        y.tolerance[at] = tolerance_of(Type::float32, s.terms(), magnitude) +
                          static_cast<float>(unit_roundoff(Type::bfloat16) * std::fabs(value) +
                                             smallest_normal(Type::bfloat16));
      }
    });
  }
  return {std::move(y)};
}

namespace {

// {n, h, w, c, k, r, stride, padding}: every filter, both strides and all paddings; images smaller
// than the filter, one pixel, one row, one column; channels and filters below and above tiles of
// 32, 64 and 128; pixels below and above tiles of 64 and 128.
std::vector<Sizes> shapes_of_convolutions() {
  return {{1, 1, 1, 8, 8, 1, 1, 0},     {1, 1, 1, 8, 8, 3, 1, 1},    {1, 2, 3, 8, 16, 7, 2, 3},
          {2, 5, 7, 8, 8, 3, 1, 1},     {1, 8, 8, 16, 24, 5, 1, 2},  {3, 9, 7, 16, 40, 1, 1, 0},
          {1, 2, 40, 32, 8, 3, 1, 1},   {1, 9, 1, 64, 8, 7, 1, 3},   {1, 1, 65, 8, 8, 3, 1, 1},
          {5, 3, 3, 8, 24, 3, 1, 0},    {1, 11, 9, 8, 8, 5, 2, 0},   {1, 16, 16, 8, 16, 7, 2, 3},
          {2, 4, 4, 72, 72, 1, 1, 1},   {1, 6, 5, 24, 136, 2, 1, 1}, {4, 2, 2, 8, 8, 3, 2, 1},
          {1, 7, 7, 136, 16, 3, 2, 1},  {2, 8, 8, 64, 16, 3, 1, 1},  {2, 7, 9, 64, 128, 1, 2, 0},
          {1, 13, 10, 24, 24, 4, 2, 2}, {1, 5, 6, 8, 8, 1, 1, 3},    {3, 6, 7, 40, 8, 6, 1, 3},
          {1, 5, 6, 8, 264, 3, 1, 1}};
}

}  // namespace

Problem convolution() {
  return {
      .id = "convolution",
      .signature =
          "(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y, int n, int h, int w, int "
          "c, int k, int r, int stride, int padding, cudaStream_t stream)",
      .size_names = {"n", "h", "w", "c", "k", "r", "stride", "padding"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        const ConvolutionShape s(sizes);
        return {{"x", Role::input, {s.n, s.h, s.w, s.c}, Type::bfloat16},
                {"filter", Role::input, {s.k, s.r, s.r, s.c}, Type::bfloat16},
                {"y", Role::output, {s.n, s.p(), s.q(), s.k}, Type::bfloat16}};
      },
      // Products with padding count, too, although they are zero: libraries count them as well.
      .operations =
          [](const Sizes& sizes) {
            const ConvolutionShape s(sizes);
            return 2.0 * static_cast<double>(s.pixels()) * static_cast<double>(s.k) *
                   static_cast<double>(s.terms());
          },
      .reference = [](const Case& given) { return convolved(given); },
      .mistakes = mistakes_of_convolutions(),
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const uint16_t*, const uint16_t*, uint16_t*, int, int, int, int,
                                          int, int, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(0), with.buffer<uint16_t>(1), with.buffer<uint16_t>(2),
                     with.size(0), with.size(1), with.size(2), with.size(3), with.size(4), with.size(5),
                     with.size(6), with.size(7), with.stream);
          },
      .edge_sizes = shapes_of_convolutions(),
      .hidden_limit = {2, 12, 12, 80, 80, kLargestFilter, kLargestStride, kLargestPadding},
      .hidden_step = {1, 1, 1, 8, 8, 1, 1, 1},
      .least = {1, 1, 1, 8, 8, 1, 1, 0},
      .nearest_possible = possible_convolution,
  };
}

}  // namespace ridge::problems
