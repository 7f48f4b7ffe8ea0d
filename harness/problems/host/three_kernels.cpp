// Three results of one array: how many of its elements are positive, the difference of each element
// and the next one (after the last comes the first), and the elements of each 128 in reverse order.
#include <algorithm>
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

constexpr size_t kGroup = 128;

std::vector<Expected> three_results(const Case& given) {
  const auto x = given.input<float>(0);
  const size_t n = x.size();
  Expected positive{1, LargeArray<double>(1), {}};
  Expected steps{2, LargeArray<double>(n), LargeArray<float>(n)};
  Expected reversed{3, LargeArray<double>(n), {}};
  positive.value[0] =
      static_cast<double>(std::count_if(x.begin(), x.end(), [](float v) { return v > 0; }));
  for (size_t i = 0; i < n; ++i) {
    const double own = x[i], next = x[(i + 1) % n];
    steps.value[i] = next - own;
    steps.tolerance[i] = tolerance_of(Type::float32, 1, std::fabs(steps.value[i]));
    const size_t first = i / kGroup * kGroup, last = std::min(first + kGroup, n) - 1;
    reversed.value[i] = x[last - (i - first)];
  }
  std::vector<Expected> all;
  all.push_back(std::move(positive));
  all.push_back(std::move(steps));
  all.push_back(std::move(reversed));
  return all;
}

}  // namespace

Problem three_kernels() {
  return {
      .id = "three_kernels",
      .signature =
          "(const float* x, float* positive, float* steps, float* reversed, int n, cudaStream_t stream)",
      .size_names = {"n"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"x", Role::input, {sizes[0]}},
                {"positive", Role::output, {1}},
                {"steps", Role::output, {sizes[0]}},
                {"reversed", Role::output, {sizes[0]}}};
      },
      .operations = [](const Sizes& sizes) { return 2 * static_cast<double>(sizes[0]); },
      .reference = three_results,
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const float*, float*, float*, float*, int, Stream)>(
                    entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.buffer<float>(2),
                     with.buffer<float>(3), with.size(0), with.stream);
          },
      .edge_sizes = edge_sizes_1d(),
      .hidden_limit = {6000},
  };
}

}  // namespace ridge::problems
