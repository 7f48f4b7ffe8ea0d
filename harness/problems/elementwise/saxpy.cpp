// y[i] = alpha * x[i] + y[i]
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

Problem saxpy() {
  return {
      .id = "saxpy",
      .signature = "(float alpha, const float* x, float* y, int n, cudaStream_t stream)",
      .size_names = {"n"},
      .scalar_names = {"alpha"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"x", Role::input, {sizes[0]}}, {"y", Role::in_out, {sizes[0]}}};
      },
      .operations = [](const Sizes& sizes) { return 2 * static_cast<double>(sizes[0]); },
      .reference = [](const Case& given) -> std::vector<Expected> {
        auto x = given.input<float>(0), y = given.input<float>(1);
        double alpha = given.scalars[0];
        Expected out{1, LargeArray<double>(y.size()), LargeArray<float>(y.size())};
        elements_in_parallel(y.size(), [&](size_t i) {
          double product = alpha * x[i], addend = y[i];
          out.value[i] = product + addend;
          out.tolerance[i] = tolerance_of(Type::float32, 1, std::fabs(product) + std::fabs(addend));
        });
        return {std::move(out)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(float, const float*, float*, int, Stream)>(entry);
            function(with.scalar(0), with.buffer<float>(0), with.buffer<float>(1), with.size(0), with.stream);
          },
      .edge_sizes = edge_sizes_1d(),
      .hidden_limit = {6000},
  };
}

}  // namespace ridge::problems
