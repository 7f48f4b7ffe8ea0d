// out[i] = factor * in[i]
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

Problem scale() {
  return {
      .id = "scale",
      .signature = "(const float* in, float factor, float* out, int n, cudaStream_t stream)",
      .size_names = {"n"},
      .scalar_names = {"factor"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0]}}, {"out", Role::output, {sizes[0]}}};
      },
      .operations = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .reference = [](const Case& given) -> std::vector<Expected> {
        auto in = given.input<float>(0);
        Expected out{1, LargeArray<double>(in.size()), LargeArray<float>(in.size())};
        elements_in_parallel(in.size(), [&](size_t i) {
          out.value[i] = given.scalars[0] * in[i];
          out.tolerance[i] = tolerance_of(Type::float32, 1, std::fabs(out.value[i]));
        });
        return {std::move(out)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const float*, float, float*, int, Stream)>(entry);
            function(with.buffer<float>(0), with.scalar(0), with.buffer<float>(1), with.size(0), with.stream);
          },
      .edge_sizes = edge_sizes_1d(),
      .hidden_limit = {6000},
  };
}

}  // namespace ridge::problems
