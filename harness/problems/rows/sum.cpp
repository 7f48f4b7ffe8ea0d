// out[0] = in[0] + ... + in[n - 1]
#include <algorithm>
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows/sum_tolerance.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

// A range of the array: its sum, its sum of squares, and the minimum and maximum of the running
// sum.
struct Part {
  double total = 0, squares = 0, lowest = 0, highest = 0;
};
constexpr size_t kPart = size_t{1} << 20;

Part part_of(std::span<const float> elements) {
  Part part;
  for (const float element : elements) {
    const auto value = static_cast<double>(element);
    part.total += value;
    part.squares += value * value;
    part.lowest = std::min(part.lowest, part.total);
    part.highest = std::max(part.highest, part.total);
  }
  return part;
}

}  // namespace

Problem sum() {
  return {
      .id = "sum",
      .signature = "(const float* in, float* out, int n, cudaStream_t stream)",
      .size_names = {"n"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0]}}, {"out", Role::output, {1}}};
      },
      .operations = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .reference = [](const Case& given) -> std::vector<Expected> {
        const auto in = given.input<float>(0);
        std::vector<Part> parts((in.size() + kPart - 1) / kPart);
        rows_in_parallel(static_cast<int64_t>(parts.size()), 1, [&](int64_t i, int64_t) {
          const auto at = static_cast<size_t>(i);
          parts[at] = part_of(in.subspan(at * kPart, std::min(kPart, in.size() - at * kPart)));
        });
        double total = 0, squares = 0, largest = 0;
        for (const Part& part : parts) {
          largest = std::max({largest, std::fabs(total + part.lowest), std::fabs(total + part.highest)});
          total += part.total;
          squares += part.squares;
        }
        return {Expected{1, {total}, {tolerance_of_sum(given.sizes[0], std::sqrt(squares), largest)}}};
      },
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const float*, float*, int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.size(0), with.stream);
          },
      .edge_sizes = edge_sizes_1d(),
      .hidden_limit = {6000},
  };
}

}  // namespace ridge::problems
