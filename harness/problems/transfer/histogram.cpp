// counts[b] = how many elements of `in` are b.
#include <algorithm>
#include <atomic>

#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

constexpr int64_t kMostBins = 4096;

// uniform: all bins alike. offset: a half of the elements in an eighth of the bins. outliers: the
// last two bins. alternating: one bin. zeros: half in bin 0. ascending: sorted.
void draw_bins(std::span<int32_t> in, int64_t bins, Draw draw, uint64_t seed) {
  const auto count = static_cast<int64_t>(in.size());
  const auto one = static_cast<int32_t>(mix(seed) % static_cast<uint64_t>(bins));
  rows_in_parallel(count, 1 << 16, [&](int64_t first, int64_t last) {
    Random random(seed);
    random.skip(2 * first);
    for (int64_t i = first; i < last; ++i) {
      const bool half = random.next() % 2 == 0;
      int64_t bin = random.from_one_to(bins) - 1;
      if (draw == Draw::offset && half) bin /= 8;
      if (draw == Draw::outliers) bin = std::max<int64_t>(0, bins - 1 - bin % 2);
      if (draw == Draw::alternating) bin = one;
      if (draw == Draw::zeros && half) bin = 0;
      if (draw == Draw::ascending) bin = i * bins / count;
      in[static_cast<size_t>(i)] = static_cast<int32_t>(bin);
    }
  });
}

std::vector<Expected> bins_counted(const Case& given) {
  const auto in = given.input<int32_t>(0);
  const auto bins = static_cast<size_t>(given.sizes[1]);
  std::vector<std::atomic<int64_t>> counts(bins);
  rows_in_parallel(static_cast<int64_t>(in.size()), 1 << 20, [&](int64_t first, int64_t last) {
    std::vector<int64_t> own(bins);
    for (auto i = static_cast<size_t>(first); i < static_cast<size_t>(last); ++i)
      ++own[static_cast<size_t>(in[i])];
    for (size_t bin = 0; bin < bins; ++bin)
      counts[bin] += own[bin];
  });
  Expected out{1, LargeArray<double>(bins), {}};
  for (size_t bin = 0; bin < bins; ++bin)
    out.value[bin] = static_cast<double>(counts[bin]);
  return {std::move(out)};
}

}  // namespace

Problem histogram() {
  return {
      .id = "histogram",
      .signature = "(const int* in, int* counts, int n, int bins, cudaStream_t stream)",
      .size_names = {"n", "bins"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0]}, Type::int32},
                {"counts", Role::output, {sizes[1]}, Type::int32}};
      },
      .operations = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .fill =
          [](const Fill& fill) {
            draw_bins(
                {reinterpret_cast<int32_t*>(fill.data.data()), fill.data.size() / sizeof(int32_t)},
                fill.sizes[1], fill.draw, fill.seed);
            return true;
          },
      .reference = bins_counted,
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const int32_t*, int32_t*, int, int, Stream)>(entry);
            function(with.buffer<int32_t>(0), with.buffer<int32_t>(1), with.size(0), with.size(1),
                     with.stream);
          },
      .edge_sizes = {{1, 1},
                     {1, 256},
                     {31, 7},
                     {33, 1},
                     {255, 256},
                     {257, 255},
                     {1000, 2},
                     {1023, 33},
                     {1025, 257},
                     {4097, 256},
                     {5000, 1024},
                     {999, 2048},
                     {3001, 4095},
                     {2049, 4096},
                     {40001, 3},
                     {65537, 100}},
      .hidden_limit = {60000, kMostBins},
  };
}

}  // namespace ridge::problems
