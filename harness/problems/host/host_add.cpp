// c[i] = a[i] + b[i], with all three arrays in host memory.
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

Problem host_add() {
  return {
      .id = "host_add",
      .signature = "(const float* a, const float* b, float* c, int n)",
      .size_names = {"n"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"a", Role::input, {sizes[0]}},
                {"b", Role::input, {sizes[0]}},
                {"c", Role::output, {sizes[0]}}};
      },
      .operations = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .reference = [](const Case& given) -> std::vector<Expected> {
        const auto a = given.input<float>(0), b = given.input<float>(1);
        Expected c{2, LargeArray<double>(a.size()), LargeArray<float>(a.size())};
        for (size_t i = 0; i < a.size(); ++i) {
          c.value[i] = static_cast<double>(a[i]) + static_cast<double>(b[i]);
          c.tolerance[i] = tolerance_of(Type::float32, 1, std::fabs(c.value[i]));
        }
        return {std::move(c)};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const float*, const float*, float*, int)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.buffer<float>(2),
                     with.size(0));
          },
      .edge_sizes = edge_sizes_1d(),
      .hidden_limit = {6000},
      .host_code = HostCode::answers,
  };
}

}  // namespace ridge::problems
