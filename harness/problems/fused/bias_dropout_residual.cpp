// out[r][c] = residual[r][c] + mask[r][c] * (in[r][c] + bias[c]) / (1 - p), in bfloat16. The mask is
// Philox4x32-10 of the seed (dropout_mask.h).
#include <cmath>

#include "harness/problems/fused/dropout_mask.h"
#include "harness/problems/fused/bfloat16_rows.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

// What is dropped leaves the residual as it is. What is kept may be rounded to bfloat16 after each
// of its three steps, as in kernels that are not fused.
std::vector<Expected> dropped_and_added(const Case& given, MaskRule rule) {
  const auto in = given.input<uint16_t>(0), bias = given.input<uint16_t>(1), residual = given.input<uint16_t>(2);
  const int64_t rows = given.sizes[0], groups = given.sizes[1] / kGroup;
  const DropoutMask mask(rule, given.input<int64_t>(3).front(), given.scalars[0], given.sizes[1]);
  Expected out{4, LargeArray<double>(in.size()), LargeArray<float>(in.size())};
  rows_in_parallel(rows, 8, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row)
      for (int64_t group = 0; group < groups; ++group) {
        const std::array<double, 4> factors = mask.factors(row, group);
        for (size_t i = 0; i < factors.size(); ++i) {
          const auto col = static_cast<size_t>(group * kGroup) + i;
          const size_t at = static_cast<size_t>(row * groups * kGroup) + col;
          const double added = factors[i] * (bfloat16_value(in[at]) + bfloat16_value(bias[col]));
          out.value[at] = bfloat16_value(residual[at]) + added;
          const double rounded = factors[i] == 0 ? 0 : std::fabs(out.value[at]) + 2 * std::fabs(added);
          out.tolerance[at] = static_cast<float>(1.05 * unit_roundoff(Type::bfloat16) * rounded +
                                                 smallest_normal(Type::bfloat16));
        }
      }
  });
  return {std::move(out)};
}

}  // namespace

Problem bias_dropout_residual() {
  return {
      .id = "bias_dropout_residual",
      .signature =
          "(const __nv_bfloat16* in, const __nv_bfloat16* bias, const __nv_bfloat16* residual, "
          "const int64_t* seed, float p, __nv_bfloat16* out, int rows, int cols, cudaStream_t stream)",
      .size_names = {"rows", "cols"},
      .scalar_names = {"p"},
      .scalar = drop_probability,
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0], sizes[1]}, Type::bfloat16},
                {"bias", Role::input, {sizes[1]}, Type::bfloat16},
                {"residual", Role::input, {sizes[0], sizes[1]}, Type::bfloat16},
                {"seed", Role::input, {1}, Type::int64},
                {"out", Role::output, {sizes[0], sizes[1]}, Type::bfloat16}};
      },
      // The bias, the factor, the residual.
      .operations =
          [](const Sizes& sizes) { return 3 * static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]); },
      .fill =
          [](const Fill& fill) {
            if (fill.buffer != 3) return false;
            *reinterpret_cast<uint64_t*>(fill.data.data()) = mix(fill.seed);
            return true;
          },
      .reference = [](const Case& given) { return dropped_and_added(given, MaskRule::of_the_statement); },
      .mistakes = mistakes_of_masks<dropped_and_added>(),
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const uint16_t*, const uint16_t*, const uint16_t*,
                                                      const int64_t*, float, uint16_t*, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(0), with.buffer<uint16_t>(1), with.buffer<uint16_t>(2),
                     with.buffer<int64_t>(3), with.scalar(0), with.buffer<uint16_t>(4), with.size(0),
                     with.size(1), with.stream);
          },
      .edge_sizes = edge_sizes_of_vectors(),
      .hidden_limit = {200, 600},
      .hidden_step = {1, 8},
  };
}

}  // namespace ridge::problems
