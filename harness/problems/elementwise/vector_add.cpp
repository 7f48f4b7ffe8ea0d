// c[i] = a[i] + b[i]
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

Problem vector_add() {
  return {
      .id = "vector_add",
      .signature = "(const float* a, const float* b, float* c, int n, cudaStream_t stream)",
      .size_names = {"n"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {
            {"a", Role::input, {sizes[0]}}, {"b", Role::input, {sizes[0]}}, {"c", Role::output, {sizes[0]}}};
      },
      .operations = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .reference = [](const Case& given) -> std::vector<Expected> {
        auto a = given.input<float>(0), b = given.input<float>(1);
        Expected c{2, LargeArray<double>(a.size()), LargeArray<float>(a.size())};
        elements_in_parallel(a.size(), [&](size_t i) {
          double x = a[i], y = b[i];
          c.value[i] = x + y;
          c.tolerance[i] = tolerance_of(Type::float32, 1, std::fabs(c.value[i]));
        });
        return {std::move(c)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const float*, const float*, float*, int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.buffer<float>(2), with.size(0),
                     with.stream);
          },
      .edge_sizes = edge_sizes_1d(),
      .hidden_limit = {6000},
  };
}

}  // namespace ridge::problems
