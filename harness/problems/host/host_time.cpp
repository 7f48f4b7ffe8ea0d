// y[i] = x[i] after `rounds` steps of x = x / 2 + 1, and the time of the kernel that does it.
#include <limits>

#include "harness/problems/host/relaxation.h"
#include "harness/problems/inputs.h"

namespace ridge::problems {

namespace {

// {n, rounds}
std::vector<Sizes> shapes_of_loops() {
  return {{1, 1},    {1, 40},  {31, 2},  {32, 3},   {33, 7},   {127, 30}, {128, 5},  {129, 9},
          {255, 12}, {256, 6}, {257, 8}, {1000, 4}, {1009, 3}, {1023, 2}, {1025, 5}, {4097, 2}};
}

}  // namespace

Problem host_time() {
  return {
      .id = "host_time",
      .signature = "(const float* x, float* y, float* milliseconds, int n, int rounds)",
      .size_names = {"n", "rounds"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"x", Role::input, {sizes[0]}},
                {"y", Role::output, {sizes[0]}},
                {"milliseconds", Role::output, {1}}};
      },
      .operations =
          [](const Sizes& sizes) {
            return 2 * static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]);
          },
      .reference = [](const Case& given) -> std::vector<Expected> {
        Expected y = relaxed(given.input<float>(0), given.sizes[1], 1);
        // Any time is right here: harness/grade/host compares it with the measured one.
        Expected time{2, LargeArray<double>(1), LargeArray<float>(1)};
        time.value[0] = 0;
        time.tolerance[0] = std::numeric_limits<float>::max();
        std::vector<Expected> both;
        both.push_back(std::move(y));
        both.push_back(std::move(time));
        return both;
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const float*, float*, float*, int, int)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.buffer<float>(2),
                     with.size(0), with.size(1));
          },
      .edge_sizes = shapes_of_loops(),
      .hidden_limit = {3000, 12},
      .host_code = HostCode::time,
  };
}

}  // namespace ridge::problems
