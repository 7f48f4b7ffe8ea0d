// The gradients of bias_dropout_residual: in_grad[r][c] = mask[r][c] * out_grad[r][c] / (1 - p) in
// bfloat16, and bias_grad[c], their sum over all rows before rounding, in float32.
#include <cmath>

#include "harness/problems/fused/dropout_mask.h"
#include "harness/problems/fused/bfloat16_rows.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

// The factor is rounded to float32, and so is each product.
constexpr double kRoundingsOfAProduct = 3;

// Groups of columns in parallel, so that each sum has one owner.
std::vector<Expected> gradients(const Case& given, MaskRule rule) {
  const auto out_grad = given.input<uint16_t>(0);
  const int64_t rows = given.sizes[0], cols = given.sizes[1];
  const DropoutMask mask(rule, given.input<int64_t>(1).front(), given.scalars[0], cols);
  Expected in_grad{2, LargeArray<double>(out_grad.size()), LargeArray<float>(out_grad.size())};
  Expected bias_grad{3, LargeArray<double>(static_cast<size_t>(cols)),
                     LargeArray<float>(static_cast<size_t>(cols))};
  rows_in_parallel(cols / kGroup, 8, [&](int64_t first, int64_t last) {
    std::vector<double> sums(static_cast<size_t>((last - first) * kGroup)), magnitudes(sums.size());
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t group = first; group < last; ++group) {
        const std::array<double, 4> factors = mask.factors(row, group);
        for (size_t i = 0; i < factors.size(); ++i) {
          const size_t at = static_cast<size_t>(row * cols + group * kGroup) + i;
          const size_t own = static_cast<size_t>((group - first) * kGroup) + i;
          const double value = factors[i] * bfloat16_value(out_grad[at]);
          in_grad.value[at] = value;
          in_grad.tolerance[at] = static_cast<float>(1.05 * unit_roundoff(Type::bfloat16) * std::fabs(value) +
                                                     smallest_normal(Type::bfloat16));
          sums[own] += value;
          magnitudes[own] += std::fabs(value);
        }
      }
    for (size_t own = 0; own < sums.size(); ++own) {
      const size_t col = static_cast<size_t>(first * kGroup) + own;
      bias_grad.value[col] = sums[own];
      bias_grad.tolerance[col] =
          tolerance_of(Type::float32, rows, magnitudes[own]) +
          static_cast<float>(kRoundingsOfAProduct * unit_roundoff(Type::float32) * magnitudes[own]);
    }
  });
  std::vector<Expected> both;
  both.push_back(std::move(in_grad));
  both.push_back(std::move(bias_grad));
  return both;
}

}  // namespace

Problem dropout_backward() {
  return {
      .id = "dropout_backward",
      .signature =
          "(const __nv_bfloat16* out_grad, const int64_t* seed, float p, __nv_bfloat16* in_grad, "
          "float* bias_grad, int rows, int cols, cudaStream_t stream)",
      .size_names = {"rows", "cols"},
      .scalar_names = {"p"},
      .scalar = drop_probability,
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"out_grad", Role::input, {sizes[0], sizes[1]}, Type::bfloat16},
                {"seed", Role::input, {1}, Type::int64},
                {"in_grad", Role::output, {sizes[0], sizes[1]}, Type::bfloat16},
                {"bias_grad", Role::output, {sizes[1]}, Type::float32}};
      },
      // The factor, and the addition to the column's sum.
      .operations =
          [](const Sizes& sizes) { return 2 * static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]); },
      .fill =
          [](const Fill& fill) {
            if (fill.buffer != 1) return false;
            *reinterpret_cast<uint64_t*>(fill.data.data()) = mix(fill.seed);
            return true;
          },
      .reference = [](const Case& given) { return gradients(given, MaskRule::of_the_statement); },
      .mistakes = mistakes_of_masks<gradients>(),
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const uint16_t*, const int64_t*, float, uint16_t*, float*, int,
                                                      int, Stream)>(entry);
            function(with.buffer<uint16_t>(0), with.buffer<int64_t>(1), with.scalar(0), with.buffer<uint16_t>(2),
                     with.buffer<float>(3), with.size(0), with.size(1), with.stream);
          },
      .edge_sizes = edge_sizes_of_vectors(),
      .hidden_limit = {200, 600},
      .hidden_step = {1, 8},
  };
}

}  // namespace ridge::problems
