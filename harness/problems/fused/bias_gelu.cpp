// out[r][c] = gelu(in[r][c] + bias[c]), in bfloat16.
#include "harness/problems/fused/bfloat16_rows.h"
#include "harness/problems/fused/gelu.h"
#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

Problem bias_gelu() {
  return {
      .id = "bias_gelu",
      .signature =
          "(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out, int rows, int cols, "
          "cudaStream_t stream)",
      .size_names = {"rows", "cols"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0], sizes[1]}, Type::bfloat16},
                {"bias", Role::input, {sizes[1]}, Type::bfloat16},
                {"out", Role::output, {sizes[0], sizes[1]}, Type::bfloat16}};
      },
      // The bias, a square, a cubic factor, its product with x and the scale, tanh, 1 + it, and two
      // products.
      .operations =
          [](const Sizes& sizes) { return 9 * static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]); },
      .reference = [](const Case& given) -> std::vector<Expected> {
        const auto in = given.input<uint16_t>(0), bias = given.input<uint16_t>(1);
        const auto cols = static_cast<size_t>(given.sizes[1]);
        Expected out{2, LargeArray<double>(in.size()), LargeArray<float>(in.size())};
        elements_in_parallel(in.size(), [&](size_t i) {
          const double x = bfloat16_value(in[i]) + bfloat16_value(bias[i % cols]);
          out.value[i] = gelu(x);
          out.tolerance[i] = static_cast<float>(tolerance_of_gelu(x));
        });
        return {std::move(out)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const uint16_t*, const uint16_t*, uint16_t*, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(0), with.buffer<uint16_t>(1), with.buffer<uint16_t>(2), with.size(0),
                     with.size(1), with.stream);
          },
      .edge_sizes = edge_sizes_of_vectors(),
      .hidden_limit = {200, 600},
      .hidden_step = {1, 8},
  };
}

}  // namespace ridge::problems
