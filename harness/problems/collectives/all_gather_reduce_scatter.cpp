// Two collectives in one call, each on data of its own.
//     gather:   outputs[r][s * n + i] = inputs[s][i]                       for all ranks r and s
//     scatter:  outputs[r][i] = the sum over s of inputs[s][r * n + i]
#include "harness/problems/collectives/ranks.h"

namespace ridge::problems {

namespace {

// The buffers: gather's inputs and outputs, scatter's inputs and outputs, signals.
std::vector<Expected> gathered_and_scattered(const Case& given) {
  const auto ranks = static_cast<size_t>(given.sizes[0]);
  const auto n = static_cast<size_t>(given.sizes[1]);
  std::vector<Expected> outputs;
  for (size_t rank = 0; rank < ranks; ++rank) {
    Expected all{ranks + rank, LargeArray<double>(ranks * n), {}};
    for (size_t from = 0; from < ranks; ++from)
      for (size_t i = 0; i < n; ++i)
        all.value[from * n + i] = static_cast<double>(given.input<float>(from)[i]);
    outputs.push_back(std::move(all));
  }
  for (size_t rank = 0; rank < ranks; ++rank)
    outputs.push_back(sum_over_ranks(given, 2 * ranks, static_cast<int64_t>(rank * n),
                                     given.sizes[1], 3 * ranks + rank));
  return outputs;
}

double others(const Sizes& sizes) {
  return static_cast<double>(sizes[0] - 1) * static_cast<double>(sizes[1]);
}

}  // namespace

Problem all_gather_reduce_scatter() {
  return {
      .id = "all_gather_reduce_scatter",
      .signature = "(Ranks gather, Ranks scatter, int n)",
      .size_names = {"ranks", "n"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        const int64_t ranks = sizes[0], n = sizes[1];
        std::vector<Buffer> buffers = buffers_of_ranks(ranks, n, ranks * n, "gather.");
        for (Buffer& buffer : buffers_of_ranks(ranks, ranks * n, n, "scatter."))
          buffers.push_back(std::move(buffer));
        add_signals(buffers, ranks, kSignals + ranks * n);
        return buffers;
      },
      .operations = [](const Sizes& sizes) { return others(sizes); },
      .steps = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .bytes_moved = [](const Sizes& sizes) { return 2 * 4 * others(sizes); },
      .reference = gathered_and_scattered,
      .call =
          [](void* entry, const Arguments& with) {
            const auto ranks = static_cast<size_t>(with.size(0));
            reinterpret_cast<void (*)(Ranks, Ranks, int)>(entry)(
                ranks_of(with, 0), ranks_of(with, 2 * ranks), with.size(1));
          },
      .edge_sizes = sizes_on_ranks(false),
      .hidden_limit = {4, 4000},
      .least = {2, 1},
      .nearest_possible = nearest_ranks,
      .on_ranks = true,
      .link_formula = "N - 1 parts for each of the two collectives",
  };
}

}  // namespace ridge::problems
