// outputs[r][i] = the sum over s of inputs[s][i], the same bits on every rank r.
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
      .same_on_all_ranks = true,
  };
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

}  // namespace ridge::problems
