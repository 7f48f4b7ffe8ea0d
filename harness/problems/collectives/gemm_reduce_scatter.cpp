// c of rank r [rows][n] = rows r * rows .. of the sum over all ranks s of a[s] [ranks * rows][k] times
// b[s] [n][k], transposed. bfloat16; the partial products may be rounded to it.
#include <algorithm>
#include <cmath>

#include "harness/problems/collectives/ranks.h"
#include "harness/problems/gemm/product.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

// labs/11-collectives/gemm_ranks.h declares the same structure.
struct GemmRanks {
  int count = 0;
  const uint16_t* a[kMostRanks] = {};
  const uint16_t* b[kMostRanks] = {};
  uint16_t* c[kMostRanks] = {};
  uint32_t* signals[kMostRanks] = {};
  Stream streams[kMostRanks] = {};
};

double norm_of_row(std::span<const double> matrix, int64_t row, int64_t cols) {
  double sum = 0;
  for (int64_t i = 0; i < cols; ++i)
    sum +=
        matrix[static_cast<size_t>(row * cols + i)] * matrix[static_cast<size_t>(row * cols + i)];
  return std::sqrt(sum);
}

// A word per rank and piece of 64 x 256 of whole tiles of 256 x 256, and room for partial products in bfloat16 behind them.
int64_t words_of_signals(const Sizes& sizes) {
  const int64_t ranks = sizes[0], rows = sizes[1], n = sizes[2];
  const int64_t signals = ranks * 4 * ((rows + 255) / 256) * ((n + 255) / 256);
  return (signals + 63) / 64 * 64 + ranks * rows * n / 2;
}

std::vector<Expected> scattered(const Case& given) {
  const int64_t ranks = given.sizes[0], rows = given.sizes[1], n = given.sizes[2],
                k = given.sizes[3];
  const auto count = static_cast<size_t>(ranks), elements = static_cast<size_t>(rows * n);
  std::vector<Expected> outputs;
  for (size_t owner = 0; owner < count; ++owner) {
    outputs.push_back(
        {2 * count + owner, LargeArray<double>(elements), LargeArray<float>(elements)});
    elements_in_parallel(
        elements, [&](size_t i) { outputs.back().value[i] = outputs.back().tolerance[i] = 0; });
  }
  for (size_t from = 0; from < count; ++from) {
    const LargeArray<double> a = doubles_of(given, from), b = doubles_of(given, count + from);
    std::vector<double> norms_of_b(static_cast<size_t>(n));
    rows_in_parallel(n, 16, [&](int64_t first, int64_t last) {
      for (int64_t j = first; j < last; ++j)
        norms_of_b[static_cast<size_t>(j)] = norm_of_row(b, j, k);
    });
    for (size_t owner = 0; owner < count; ++owner) {
      const std::span<const double> part(a.data() + owner * static_cast<size_t>(rows * k),
                                         static_cast<size_t>(rows * k));
      const LargeArray<double> product = multiply(part, b, Factor::rows_of_k, rows, n, k);
      Expected& c = outputs[owner];
      rows_in_parallel(rows, 16, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          const double norm = norm_of_row(part, i, k);
          for (int64_t j = 0; j < n; ++j) {
            const auto at = static_cast<size_t>(i * n + j);
            c.value[at] += product[at];
            // A partial product is rounded to bfloat16, and so is what has been added up to then.
            c.tolerance[at] +=
                tolerance_of(Type::float32, k, norm * norms_of_b[static_cast<size_t>(j)]) +
                static_cast<float>(unit_roundoff(Type::bfloat16) *
                                       (std::fabs(product[at]) + std::fabs(c.value[at])) +
                                   smallest_normal(Type::bfloat16));
          }
        }
      });
    }
  }
  return outputs;
}

// Rows are read and written in pieces of 16 bytes.
int64_t multiple_of_8(int64_t size) {
  return (size + 7) / 8 * 8;
}

}  // namespace

Problem gemm_reduce_scatter() {
  return {
      .id = "gemm_reduce_scatter",
      .signature = "(GemmRanks ranks, int rows, int n, int k)",
      .size_names = {"ranks", "rows", "n", "k"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        std::vector<Buffer> buffers;
        const auto add = [&](const char* name, Role role, int64_t rows, int64_t cols) {
          for (int rank = 0; rank < sizes[0]; ++rank)
            buffers.push_back(
                {name + std::to_string(rank) + "]", role, {rows, cols}, Type::bfloat16, rank});
        };
        add("a[", Role::input, sizes[0] * sizes[1], sizes[3]);
        add("b[", Role::input, sizes[2], sizes[3]);
        add("c[", Role::output, sizes[1], sizes[2]);
        add_signals(buffers, sizes[0], words_of_signals(sizes));
        return buffers;
      },
      // By one device.
      .operations =
          [](const Sizes& sizes) {
            return 2.0 * static_cast<double>(sizes[0] * sizes[1]) * static_cast<double>(sizes[2]) *
                   static_cast<double>(sizes[3]);
          },
      .steps = [](const Sizes& sizes) { return static_cast<double>(sizes[0]); },
      .bytes_moved =
          [](const Sizes& sizes) {
            return 2.0 * static_cast<double>((sizes[0] - 1) * sizes[1]) *
                   static_cast<double>(sizes[2]);
          },
      .reference = scattered,
      .call =
          [](void* entry, const Arguments& with) {
            GemmRanks ranks;
            ranks.count = with.size(0);
            const auto count = static_cast<size_t>(ranks.count);
            for (size_t rank = 0; rank < count; ++rank) {
              ranks.a[rank] = with.buffer<const uint16_t>(rank);
              ranks.b[rank] = with.buffer<const uint16_t>(count + rank);
              ranks.c[rank] = with.buffer<uint16_t>(2 * count + rank);
              ranks.signals[rank] = with.buffer<uint32_t>(3 * count + rank);
              ranks.streams[rank] = with.streams[rank];
            }
            reinterpret_cast<void (*)(GemmRanks, int, int, int)>(entry)(ranks, with.size(1),
                                                                        with.size(2), with.size(3));
          },
      // Partial and whole boxes of 64, tiles of 128 and pairs of tiles of 256; up to 10 k-steps.
      .edge_sizes = {{2, 1, 8, 8},
                     {4, 1, 8, 8},
                     {2, 31, 32, 24},
                     {4, 33, 8, 24},
                     {2, 64, 16, 72},
                     {2, 65, 40, 16},
                     {4, 63, 8, 8},
                     {2, 129, 16, 8},
                     {2, 16, 72, 40},
                     {2, 8, 264, 8},
                     {2, 257, 8, 16},
                     {4, 2, 72, 64},
                     {2, 5, 8, 584},
                     {4, 2, 264, 8},
                     {2, 60, 64, 8},
                     {2, 128, 8, 16}},
      .hidden_limit = {4, 300, 300, 192},
      .hidden_step = {1, 1, 8, 8},
      .least = {2, 1, 8, 8},
      .nearest_possible =
          [](const Sizes& sizes) {
            Sizes nearest = nearest_ranks(sizes);
            nearest[2] = multiple_of_8(sizes[2]);
            nearest[3] = multiple_of_8(sizes[3]);
            return nearest;
          },
      .on_ranks = true,
      .link_formula = "its sums for the N - 1 parts of others",
  };
}

}  // namespace ridge::problems
