// outputs[r][i] = the sum over s of inputs[s][i], the same bits on every rank r.
// all_reduce_any: of float32 or of bfloat16.
#include <algorithm>

#include "harness/problems/collectives/ranks.h"

namespace ridge::problems {

namespace {

std::vector<Expected> summed(const Case& given) {
  std::vector<Expected> outputs;
  const auto ranks = static_cast<size_t>(given.sizes[0]);
  outputs.push_back(sum_over_ranks(given, 0, 0, given.sizes[1], ranks));
  for (size_t rank = 1; rank < ranks; ++rank) {
    outputs.push_back(outputs.front());
    outputs.back().buffer = ranks + rank;
  }
  return outputs;
}

// Packets of data and flag take up to twice the data, from every rank.
int64_t words_for_packets(const Sizes& sizes) {
  return kSignals + 2 * sizes[0] * (sizes[1] + 4);
}

Problem of_signals(std::string_view id, std::vector<Buffer> (*buffers)(const Sizes&)) {
  return {
      .id = id,
      .signature = "(Ranks ranks, int n)",
      .size_names = {"ranks", "n"},
      .buffers = buffers,
      // By each device, if every sum is computed once.
      .operations =
          [](const Sizes& sizes) {
            const auto ranks = static_cast<double>(sizes[0]);
            return (ranks - 1) / ranks * static_cast<double>(sizes[1]);
          },
      .steps = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .bytes_moved =
          [](const Sizes& sizes) {
            const auto ranks = static_cast<double>(sizes[0]);
            return 4 * 2 * (ranks - 1) / ranks * static_cast<double>(sizes[1]);
          },
      .reference = summed,
      .call =
          [](void* entry, const Arguments& with) {
            reinterpret_cast<void (*)(Ranks, int)>(entry)(ranks_of(with, 0), with.size(1));
          },
      .edge_sizes = sizes_on_ranks(id == "all_reduce"),
      .hidden_limit = {4, 6000},
      .least = {2, 1},
      .nearest_possible = nearest_ranks,
      .on_ranks = true,
      .link_formula = "2 (N - 1) / N of the array",
      .same_on_all_ranks = true,
  };
}

// Messages of up to a megabyte fit into packets of 8 bytes of data, 16 with their flags.
int64_t words_for_packets_of(const Sizes& sizes) {
  constexpr int64_t kMostPackets = 131072;
  return kSignals + 4 * sizes[0] * std::min(sizes[1] * sizes[2] / 8 + 2, kMostPackets);
}

}  // namespace

Problem all_reduce() {
  return of_signals("all_reduce", [](const Sizes& sizes) -> std::vector<Buffer> {
    std::vector<Buffer> buffers = buffers_of_ranks(sizes[0], sizes[1], sizes[1]);
    add_signals(buffers, sizes[0], kSignals);
    return buffers;
  });
}

Problem all_reduce_small() {
  return of_signals("all_reduce_small", [](const Sizes& sizes) -> std::vector<Buffer> {
    std::vector<Buffer> buffers = buffers_of_ranks(sizes[0], sizes[1], sizes[1]);
    add_signals(buffers, sizes[0], words_for_packets(sizes));
    return buffers;
  });
}

// {ranks, n, bytes}: elements of 4 bytes (float32) or of 2 (bfloat16).
Problem all_reduce_any() {
  Problem problem = of_signals("all_reduce_any", [](const Sizes& sizes) -> std::vector<Buffer> {
    const Type type = sizes[2] == 4 ? Type::float32 : Type::bfloat16;
    std::vector<Buffer> buffers = buffers_of_ranks(sizes[0], sizes[1], sizes[1], "", type);
    add_signals(buffers, sizes[0], words_for_packets_of(sizes));
    return buffers;
  });
  problem.signature = "(Ranks ranks, int n, int bytes)";
  problem.size_names = {"ranks", "n", "bytes"};
  problem.bytes_moved = [](const Sizes& sizes) {
    const auto ranks = static_cast<double>(sizes[0]);
    return static_cast<double>(sizes[2]) * 2 * (ranks - 1) / ranks * static_cast<double>(sizes[1]);
  };
  problem.call = [](void* entry, const Arguments& with) {
    reinterpret_cast<void (*)(Ranks, int, int)>(entry)(ranks_of(with, 0), with.size(1),
                                                       with.size(2));
  };
  // Room for packets is most of a case: longer messages are among the rung's sizes.
  problem.edge_sizes = {{2, 1, 4},    {4, 1, 2},   {4, 3, 4},   {2, 7, 2},    {2, 8, 2},
                        {2, 31, 4},   {4, 33, 2},  {2, 64, 2},  {4, 127, 4},  {4, 129, 2},
                        {4, 255, 2},  {2, 513, 4}, {4, 700, 2}, {2, 1009, 4}, {2, 2047, 4},
                        {2, 2051, 4}, {2, 4099, 2}};
  problem.hidden_limit = {4, 50000, 4};
  problem.least = {2, 1, 2};
  problem.nearest_possible = [](const Sizes& sizes) {
    Sizes nearest = nearest_ranks(sizes);
    nearest[2] = sizes[2] <= 2 ? 2 : 4;
    return nearest;
  };
  return problem;
}

}  // namespace ridge::problems
