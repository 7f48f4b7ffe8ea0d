#include "harness/problems/collectives/ranks.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

std::vector<Buffer> buffers_of_ranks(int64_t ranks, int64_t in, int64_t out, const char* prefix,
                                     Type type) {
  std::vector<Buffer> buffers;
  for (int rank = 0; rank < ranks; ++rank)
    buffers.push_back(
        {fmt::format("{}inputs[{}]", prefix, rank), Role::input, {in}, type, rank});
  for (int rank = 0; rank < ranks; ++rank)
    buffers.push_back(
        {fmt::format("{}outputs[{}]", prefix, rank), Role::output, {out}, type, rank});
  return buffers;
}

void add_signals(std::vector<Buffer>& buffers, int64_t ranks, int64_t words) {
  // float32 stands for any 4 bytes: nothing reads the values.
  for (int rank = 0; rank < ranks; ++rank)
    buffers.push_back(
        {fmt::format("signals[{}]", rank), Role::signals, {words}, Type::float32, rank});
}

Ranks ranks_of(const Arguments& arguments, size_t first) {
  Ranks ranks;
  ranks.count = arguments.size(0);
  const auto count = static_cast<size_t>(ranks.count);
  const size_t signals = arguments.buffers.size() - count;
  for (size_t rank = 0; rank < count; ++rank) {
    ranks.inputs[rank] = arguments.buffer<const float>(first + rank);
    ranks.outputs[rank] = arguments.buffer<float>(first + count + rank);
    ranks.signals[rank] = arguments.buffer<uint32_t>(signals + rank);
    ranks.streams[rank] = arguments.streams[rank];
  }
  return ranks;
}

std::vector<Sizes> sizes_on_ranks(bool with_large) {
  std::vector<Sizes> sizes = {{2, 1},   {4, 1},   {4, 3},    {2, 31},  {4, 33},
                              {2, 64},  {4, 127}, {2, 129},  {4, 255}, {4, 256},
                              {2, 513}, {4, 700}, {2, 1009}, {4, 385}, {2, 1025}};
  if (with_large) sizes.insert(sizes.end(), {{2, 4097}, {4, 4099}, {4, 6007}});
  return sizes;
}

Sizes nearest_ranks(const Sizes& sizes) {
  Sizes nearest = sizes;
  nearest[0] = sizes[0] <= 2 ? 2 : 4;
  return nearest;
}

Expected sum_over_ranks(const Case& given, size_t first_input, int64_t first, int64_t count,
                        size_t output) {
  const auto length = static_cast<size_t>(count), begin = static_cast<size_t>(first);
  Expected sums{output, LargeArray<double>(length), LargeArray<float>(length)};
  const int64_t ranks = given.sizes[0];
  const Type type = given.buffers[first_input].type;
  elements_in_parallel(length, [&](size_t i) {
    double sum = 0, magnitude = 0;
    for (size_t rank = 0; rank < static_cast<size_t>(ranks); ++rank) {
      const double value = load_element(type, given.initial[first_input + rank].data(),
                                        static_cast<int64_t>(begin + i));
      sum += value;
      magnitude += std::fabs(value);
    }
    sums.value[i] = sum;
    sums.tolerance[i] = tolerance_of(Type::float32, ranks, magnitude);
    if (type != Type::float32)  // added in float32, and rounded once
      sums.tolerance[i] +=
          static_cast<float>(unit_roundoff(type) * std::fabs(sum) + smallest_normal(type));
  });
  return sums;
}

}  // namespace ridge::problems
