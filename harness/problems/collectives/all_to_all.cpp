// Tokens to the ranks of their experts, and results back: two all-to-alls whose counts are on the
// devices. Each rank's rows are sorted by the rank that they go to (dispatch) or came from (combine).
//     dispatch.outputs[d]: the rows of rank 0 for d, then those of rank 1, ...
//     combine.outputs[s]:  the results of rank 0 for s, then those of rank 1, ...
#include <algorithm>

#include "harness/problems/collectives/ranks.h"
#include "harness/problems/collectives/token_counts.h"

namespace ridge::problems {

namespace {

struct Counts {
  const int64_t* of[kMostRanks] = {};
};

// 0 to 7, and 0 for one pair in four; never for a rank and itself.
int64_t weight(const Sizes& sizes, int64_t from, int64_t to) {
  const uint64_t drawn =
      mix(static_cast<uint64_t>(((sizes[1] * 64 + sizes[2]) * 8 + from) * 8 + to));
  return from != to && drawn % 4 == 0 ? 0 : 1 + static_cast<int64_t>(drawn / 4 % 7);
}

double row_bytes(const Sizes& sizes) {
  return 4 * static_cast<double>(sizes[2]);
}

// What a rank sends to others: its tokens, and the results of others' tokens. It gets as much.
double sent(const Sizes& sizes, int64_t rank) {
  const int64_t own = tokens_between(sizes, rank, rank);
  return row_bytes(sizes) * static_cast<double>(sizes[1] - own + tokens_to(sizes, rank) - own);
}

// Appends rows `first` .. of buffer `from` to `to`.
void append(const Case& given, size_t from, int64_t first, int64_t rows, LargeArray<double>& to,
            size_t& at) {
  const auto width = static_cast<size_t>(given.sizes[2]);
  const auto values = given.input<float>(from);
  for (size_t i = static_cast<size_t>(first) * width; i < static_cast<size_t>(first + rows) * width;
       ++i)
    to[at++] = static_cast<double>(values[i]);
}

std::vector<Expected> exchanged(const Case& given) {
  const Sizes& sizes = given.sizes;
  const int64_t ranks = sizes[0];
  const auto count = static_cast<size_t>(ranks);
  std::vector<Expected> outputs;
  for (int64_t to = 0; to < ranks; ++to) {
    Expected got{count + static_cast<size_t>(to),
                 LargeArray<double>(static_cast<size_t>(tokens_to(sizes, to) * sizes[2])),
                 {}};
    size_t at = 0;
    for (int64_t from = 0; from < ranks; ++from) {
      int64_t first = 0;
      for (int64_t other = 0; other < to; ++other)
        first += tokens_between(sizes, from, other);
      append(given, static_cast<size_t>(from), first, tokens_between(sizes, from, to), got.value,
             at);
    }
    outputs.push_back(std::move(got));
  }
  for (int64_t to = 0; to < ranks; ++to) {
    Expected got{3 * count + static_cast<size_t>(to),
                 LargeArray<double>(static_cast<size_t>(sizes[1] * sizes[2])),
                 {}};
    size_t at = 0;
    for (int64_t from = 0; from < ranks; ++from) {
      int64_t first = 0;
      for (int64_t other = 0; other < to; ++other)
        first += tokens_between(sizes, other, from);
      append(given, 2 * count + static_cast<size_t>(from), first, tokens_between(sizes, to, from),
             got.value, at);
    }
    outputs.push_back(std::move(got));
  }
  return outputs;
}

std::vector<Buffer> arrays(const Sizes& sizes) {
  const int64_t ranks = sizes[0], tokens = sizes[1], width = sizes[2];
  std::vector<Buffer> buffers;
  const auto add = [&](const char* name, Role role, bool sorted_by_sender) {
    for (int rank = 0; rank < ranks; ++rank)
      buffers.push_back({name + std::to_string(rank) + "]",
                         role,
                         {sorted_by_sender ? tokens_to(sizes, rank) : tokens, width},
                         Type::float32,
                         rank});
  };
  add("dispatch.inputs[", Role::input, false);
  add("dispatch.outputs[", Role::output, true);
  add("combine.inputs[", Role::input, true);
  add("combine.outputs[", Role::output, false);
  for (int rank = 0; rank < ranks; ++rank)
    buffers.push_back(
        {"counts[" + std::to_string(rank) + "]", Role::input, {ranks}, Type::int64, rank});
  add_signals(buffers, ranks, kSignals);
  return buffers;
}

}  // namespace

int64_t tokens_between(const Sizes& sizes, int64_t from, int64_t to) {
  int64_t all = 0, before = 0;
  for (int64_t other = 0; other < sizes[0]; ++other) {
    if (other == to) before = all;
    all += weight(sizes, from, other);
  }
  const int64_t shared = sizes[1] - 1, after = before + weight(sizes, from, to);
  return after * shared / all - before * shared / all + (from == to);
}

int64_t tokens_to(const Sizes& sizes, int64_t to) {
  int64_t rows = 0;
  for (int64_t from = 0; from < sizes[0]; ++from)
    rows += tokens_between(sizes, from, to);
  return rows;
}

Problem all_to_all() {
  return {
      .id = "all_to_all",
      .signature = "(Ranks dispatch, Ranks combine, CountsOfRanks counts, int tokens, int width)",
      .size_names = {"ranks", "tokens", "width"},
      .buffers = arrays,
      .operations = [](const Sizes&) { return 0.0; },
      .steps = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      // By the busiest rank.
      .bytes_moved =
          [](const Sizes& sizes) {
            double most = 1;
            for (int64_t rank = 0; rank < sizes[0]; ++rank)
              most = std::max(most, sent(sizes, rank));
            return most;
          },
      .fill =
          [](const Fill& fill) {
            const auto ranks = static_cast<size_t>(fill.sizes[0]);
            if (fill.buffer < 4 * ranks || fill.buffer >= 5 * ranks) return false;
            auto* const counts = reinterpret_cast<int64_t*>(fill.data.data());
            for (size_t to = 0; to < ranks; ++to)
              counts[to] = tokens_between(fill.sizes, static_cast<int64_t>(fill.buffer - 4 * ranks),
                                          static_cast<int64_t>(to));
            return true;
          },
      .reference = exchanged,
      .call =
          [](void* entry, const Arguments& with) {
            const auto ranks = static_cast<size_t>(with.size(0));
            Counts counts;
            for (size_t rank = 0; rank < ranks; ++rank)
              counts.of[rank] = with.buffer<const int64_t>(4 * ranks + rank);
            reinterpret_cast<void (*)(Ranks, Ranks, Counts, int, int)>(entry)(
                ranks_of(with, 0), ranks_of(with, 2 * ranks), counts, with.size(1), with.size(2));
          },
      .edge_sizes = {{2, 1, 4},
                     {4, 1, 4},
                     {4, 3, 8},
                     {2, 7, 4},
                     {2, 31, 4},
                     {4, 33, 12},
                     {2, 64, 16},
                     {4, 63, 4},
                     {2, 65, 12},
                     {4, 100, 16},
                     {2, 5, 132},
                     {2, 10, 68},
                     {4, 257, 4},
                     {2, 129, 20},
                     {2, 700, 8}},
      .hidden_limit = {4, 600, 128},
      .hidden_step = {1, 1, 4},
      .least = {2, 1, 4},
      .nearest_possible =
          [](const Sizes& sizes) {
            Sizes nearest = nearest_ranks(sizes);
            nearest[2] = (sizes[2] + 3) / 4 * 4;
            return nearest;
          },
      .on_ranks = true,
      .link_formula = "the rows for other ranks, there and back, of the rank that has most",
  };
}

}  // namespace ridge::problems
