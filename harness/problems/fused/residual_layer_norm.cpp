// sum[r][c] = in[r][c] + residual[r][c], added in float32 and rounded to bfloat16, and
// out[r][c] = (sum[r][c] - mean) / sqrt(variance + epsilon) * weight[c] + bias[c], with the mean and
// the variance of the stored row of sum.
#include <cmath>

#include "harness/problems/fused/bfloat16_rows.h"
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

// The addition of the statement: in float32, rounded to bfloat16.
double rounded_sum(uint16_t a, uint16_t b) {
  const float sum = text::bfloat_to_float(a) + text::bfloat_to_float(b);
  return bfloat16_value(to_bfloat16(static_cast<double>(sum)));
}

// Rows of one value, with another one in 64 of their elements: a mean of about 2000, a standard
// deviation of about 1. The squares of such elements need more bits than float32 has, so that a
// difference of sums of squares gives a variance without a right digit.
void draw_nearly_equal(std::span<uint16_t> in, uint64_t seed) {
  Random random(seed);
  for (uint16_t& element : in)
    element = to_bfloat16(random.next() % 64 == 0 ? 1008 : 1000);
}

// In units of float32: the error of a mean, relative to the largest magnitude, and that of the
// standard deviation, relative to itself.
double roundings_of_statistics(int64_t cols) {
  return 6 + 2 * std::sqrt(static_cast<double>(cols)) / 8;
}

std::vector<Expected> normalised_sums(const Case& given) {
  const auto in = given.input<uint16_t>(0), residual = given.input<uint16_t>(1);
  const auto weight = given.input<uint16_t>(2), bias = given.input<uint16_t>(3);
  const auto cols = static_cast<size_t>(given.sizes[1]);
  const double epsilon = given.scalars[0], unit = unit_roundoff(Type::float32) * roundings_of_statistics(given.sizes[1]);
  Expected sum{4, LargeArray<double>(in.size()), {}};
  Expected out{5, LargeArray<double>(in.size()), LargeArray<float>(in.size())};
  rows_in_parallel(given.sizes[0], 1, [&](int64_t row, int64_t) {
    const size_t begin = static_cast<size_t>(row) * cols;
    double total = 0, squares = 0, largest = 0;
    for (size_t i = begin; i < begin + cols; ++i) {
      sum.value[i] = rounded_sum(in[i], residual[i]);
      total += sum.value[i];
      largest = std::max(largest, std::fabs(sum.value[i]));
    }
    const double mean = total / static_cast<double>(cols);
    for (size_t i = begin; i < begin + cols; ++i)
      squares += (sum.value[i] - mean) * (sum.value[i] - mean);
    const double factor = 1 / std::sqrt(squares / static_cast<double>(cols) + epsilon);
    for (size_t c = 0; c < cols; ++c) {
      const double normal = (sum.value[begin + c] - mean) * factor;
      const double scale = bfloat16_value(weight[c]), shift = bfloat16_value(bias[c]);
      const double value = normal * scale + shift;
      out.value[begin + c] = value;
      const double before_rounding = unit * (std::fabs(scale) * (2 * largest * factor + 4 * std::fabs(normal)) +
                                             std::fabs(shift));
      out.tolerance[begin + c] = static_cast<float>(1.05 * unit_roundoff(Type::bfloat16) * std::fabs(value) +
                                                    before_rounding + smallest_normal(Type::bfloat16));
    }
  });
  std::vector<Expected> both;
  both.push_back(std::move(sum));
  both.push_back(std::move(out));
  return both;
}

}  // namespace

Problem residual_layer_norm() {
  return {
      .id = "residual_layer_norm",
      .signature =
          "(const __nv_bfloat16* in, const __nv_bfloat16* residual, const __nv_bfloat16* weight, "
          "const __nv_bfloat16* bias, float epsilon, __nv_bfloat16* sum, __nv_bfloat16* out, int rows, int cols, "
          "cudaStream_t stream)",
      .size_names = {"rows", "cols"},
      .scalar_names = {"epsilon"},
      .scalar = [](double drawn) { return 1e-5 * drawn; },
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        const std::vector<int64_t> whole = {sizes[0], sizes[1]}, row = {sizes[1]};
        return {{"in", Role::input, whole, Type::bfloat16},    {"residual", Role::input, whole, Type::bfloat16},
                {"weight", Role::input, row, Type::bfloat16},  {"bias", Role::input, row, Type::bfloat16},
                {"sum", Role::output, whole, Type::bfloat16},  {"out", Role::output, whole, Type::bfloat16}};
      },
      // The sum, the mean's addition, a difference, a square's product and addition, and three to
      // normalise.
      .operations =
          [](const Sizes& sizes) { return 8 * static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]); },
      .fill =
          [](const Fill& fill) {
            if (fill.draw != Draw::offset || fill.buffer != 0) return false;
            draw_nearly_equal({reinterpret_cast<uint16_t*>(fill.data.data()), fill.data.size() / 2}, fill.seed);
            return true;
          },
      .reference = normalised_sums,
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const uint16_t*, const uint16_t*, const uint16_t*, const uint16_t*,
                                                      float, uint16_t*, uint16_t*, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(0), with.buffer<uint16_t>(1), with.buffer<uint16_t>(2),
                     with.buffer<uint16_t>(3), with.scalar(0), with.buffer<uint16_t>(4), with.buffer<uint16_t>(5),
                     with.size(0), with.size(1), with.stream);
          },
      .edge_sizes = edge_sizes_of_vectors(),
      .hidden_limit = {60, 4000},
      .hidden_step = {1, 8},
  };
}

}  // namespace ridge::problems
