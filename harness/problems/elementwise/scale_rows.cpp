// out[r][c] = factor[r] * in[r][c]
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

Problem scale_rows() {
  return {
      .id = "scale_rows",
      .signature =
          "(const float* in, const float* factor, float* out, int rows, int cols, cudaStream_t stream)",
      .size_names = {"rows", "cols"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0], sizes[1]}},
                {"factor", Role::input, {sizes[0]}},
                {"out", Role::output, {sizes[0], sizes[1]}}};
      },
      .operations =
          [](const Sizes& sizes) { return static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]); },
      .reference = [](const Case& given) -> std::vector<Expected> {
        auto in = given.input<float>(0), factor = given.input<float>(1);
        auto cols = static_cast<size_t>(given.sizes[1]);
        Expected out{2, LargeArray<double>(in.size()), LargeArray<float>(in.size())};
        elements_in_parallel(in.size(), [&](size_t i) {
          out.value[i] = static_cast<double>(factor[i / cols]) * in[i];
          out.tolerance[i] = tolerance_of(Type::float32, 1, std::fabs(out.value[i]));
        });
        return {std::move(out)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const float*, const float*, float*, int, int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.buffer<float>(2), with.size(0),
                     with.size(1), with.stream);
          },
      .edge_sizes = edge_sizes_2d(),
      .hidden_limit = {120, 120},
  };
}

}  // namespace ridge::problems
