// out[i] = in[0] + ... + in[i]
#include <algorithm>
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows/sum_tolerance.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

constexpr size_t kScannedAtATime = size_t{1} << 20;

// What precedes an element: its prefix, the sum of squares, and the largest magnitude of a prefix.
struct ScanPrefix {
  double sum = 0, squares = 0, largest = 0;

  void add(float element) {
    const auto value = static_cast<double>(element);
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::fabs(sum));
  }
};

// The prefix before each part; `largest` of the parts before is left out, which makes the tolerance
// slightly tighter.
std::vector<ScanPrefix> prefixes_of_parts(std::span<const float> in) {
  std::vector<ScanPrefix> parts((in.size() + kScannedAtATime - 1) / kScannedAtATime);
  rows_in_parallel(static_cast<int64_t>(parts.size()), 1, [&](int64_t i, int64_t) {
    const auto at = static_cast<size_t>(i);
    for (const float element : in.subspan(
             at * kScannedAtATime, std::min(kScannedAtATime, in.size() - at * kScannedAtATime)))
      parts[at].add(element);
  });
  ScanPrefix before;
  for (ScanPrefix& part : parts) {
    const ScanPrefix own = part;
    part = before;
    before.sum += own.sum;
    before.squares += own.squares;
    before.largest = std::max(before.largest, std::fabs(before.sum));
  }
  return parts;
}

std::vector<Expected> scanned(const Case& given) {
  const auto in = given.input<float>(0);
  Expected out{1, LargeArray<double>(in.size()), LargeArray<float>(in.size())};
  const std::vector<ScanPrefix> before = prefixes_of_parts(in);
  rows_in_parallel(static_cast<int64_t>(before.size()), 1, [&](int64_t part, int64_t) {
    ScanPrefix prefix = before[static_cast<size_t>(part)];
    const size_t begin = static_cast<size_t>(part) * kScannedAtATime,
                 end = std::min(in.size(), begin + kScannedAtATime);
    for (size_t i = begin; i < end; ++i) {
      prefix.add(in[i]);
      out.value[i] = prefix.sum;
      out.tolerance[i] =
          tolerance_of_sum(static_cast<int64_t>(i) + 1, std::sqrt(prefix.squares), prefix.largest);
    }
  });
  return {std::move(out)};
}

}  // namespace

Problem scan() {
  return {
      .id = "scan",
      .signature = "(const float* in, float* out, int n, cudaStream_t stream)",
      .size_names = {"n"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"in", Role::input, {sizes[0]}}, {"out", Role::output, {sizes[0]}}};
      },
      .operations = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .reference = scanned,
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(const float*, float*, int, Stream)>(entry);
            function(with.buffer<float>(0), with.buffer<float>(1), with.size(0), with.stream);
          },
      .edge_sizes = edge_sizes_1d(),
      .hidden_limit = {40000},
  };
}

}  // namespace ridge::problems
