// Each rank's input becomes the output of the next rank: outputs[(r + 1) % ranks] = inputs[r].
#include "harness/problems/collectives/ranks.h"

namespace ridge::problems {

namespace {

std::vector<Expected> passed_on(const Case& given) {
  std::vector<Expected> outputs;
  const auto ranks = static_cast<size_t>(given.sizes[0]);
  for (size_t rank = 0; rank < ranks; ++rank)
    outputs.push_back({ranks + (rank + 1) % ranks, doubles_of(given, rank), {}});
  return outputs;
}

}  // namespace

Problem peer_copy() {
  return {
      .id = "peer_copy",
      .signature = "(Ranks ranks, int n)",
      .size_names = {"ranks", "n"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        std::vector<Buffer> buffers = buffers_of_ranks(sizes[0], sizes[1], sizes[1]);
        add_signals(buffers, sizes[0], kSignals);
        return buffers;
      },
      .operations = [](const Sizes&) { return 0.0; },
      .steps = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .bytes_moved = [](const Sizes& sizes) { return 4 * static_cast<double>(sizes[1]); },
      .reference = passed_on,
      .call =
          [](void* entry, const Arguments& with) {
            reinterpret_cast<void (*)(Ranks, int)>(entry)(ranks_of(with, 0), with.size(1));
          },
      .edge_sizes = sizes_on_ranks(true),
      .hidden_limit = {4, 6000},
      .least = {2, 1},
      .nearest_possible = nearest_ranks,
      .on_ranks = true,
      .link_formula = "its array once",
  };
}

}  // namespace ridge::problems
