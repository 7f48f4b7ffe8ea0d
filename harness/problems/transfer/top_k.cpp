// out[0 .. k - 1] = the k largest elements of `in`, the largest first.
#include <algorithm>
#include <functional>

#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

constexpr int64_t kMostK = 2048;
constexpr size_t kSelectedAtATime = size_t{1} << 20;

// The k largest of a part, the largest first.
std::vector<float> largest_of_part(std::span<const float> part, size_t k) {
  std::vector<float> found(part.begin(), part.end());
  const auto middle = found.begin() + static_cast<ptrdiff_t>(std::min(k, found.size()));
  std::nth_element(found.begin(), middle, found.end(), std::greater<>());
  found.erase(middle, found.end());
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

// alternating and zeros: nine different values, so that many elements equal the k-th largest.
bool draw_equal_elements(const Fill& fill) {
  if (fill.draw != Draw::alternating && fill.draw != Draw::zeros) return false;
  const std::span in(reinterpret_cast<float*>(fill.data.data()), fill.data.size() / sizeof(float));
  Random random(fill.seed);
  for (float& x : in)
    x = static_cast<float>(random.from_one_to(9) - 5) / 4;
  return true;
}

std::vector<Expected> largest_selected(const Case& given) {
  const auto in = given.input<float>(0);
  const auto k = static_cast<size_t>(given.sizes[1]);
  std::vector<std::vector<float>> parts((in.size() + kSelectedAtATime - 1) / kSelectedAtATime);
  rows_in_parallel(static_cast<int64_t>(parts.size()), 1, [&](int64_t part, int64_t) {
    const size_t begin = static_cast<size_t>(part) * kSelectedAtATime;
    parts[static_cast<size_t>(part)] =
        largest_of_part(in.subspan(begin, std::min(kSelectedAtATime, in.size() - begin)), k);
  });
  std::vector<float> all;
  for (const std::vector<float>& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  const std::vector<float> found = largest_of_part(all, k);
  // A tolerance of 0 compares values: zeros of both signs are equal, and their order is free.
  Expected out{1, LargeArray<double>(k), LargeArray<float>(k)};
  for (size_t i = 0; i < k; ++i) {
    out.value[i] = static_cast<double>(found[i]);
    out.tolerance[i] = 0;
  }
  return {std::move(out)};
}

}  // namespace

Problem top_k() {
  return {
      .id = "top_k",
      .signature = "(const float* in, float* out, int n, int k, cudaStream_t stream)",
      .size_names = {"n", "k"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0]}}, {"out", Role::output, {sizes[1]}}};
      },
      .operations = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .fill = draw_equal_elements,
      .reference = largest_selected,
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const float*, float*, int, int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.size(0), with.size(1),
                     with.stream);
          },
      .edge_sizes = {{1, 1},
                     {2, 1},
                     {31, 31},
                     {33, 7},
                     {129, 128},
                     {255, 1},
                     {256, 256},
                     {257, 256},
                     {1009, 10},
                     {1023, 1023},
                     {1025, 1000},
                     {2048, 2048},
                     {2049, 2048},
                     {4097, 2047},
                     {20001, 37},
                     {65537, 512}},
      .hidden_limit = {60000, kMostK},
      .nearest_possible = [](const Sizes& sizes) -> Sizes {
        return {sizes[0], std::min({sizes[1], sizes[0], kMostK})};
      },
  };
}

}  // namespace ridge::problems
