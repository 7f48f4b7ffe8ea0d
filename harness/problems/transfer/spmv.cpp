// y = A x for a sparse matrix A in CSR: the elements of row r are entries offsets[r] to
// offsets[r + 1] - 1 of `columns` and `values`.
#include <algorithm>
#include <cmath>

#include "harness/problems/inputs.h"
#include "harness/problems/rows_in_parallel.h"
#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

// {rows, cols, entries}: rows without entries, one row, one column, more rows than entries.
std::vector<Sizes> shapes_of_matrices() {
  return {{1, 1, 1},       {1, 5, 33},       {33, 1, 100},     {7, 7, 3},
          {100, 40, 1},    {64, 64, 2048},   {31, 257, 500},   {1000, 10, 999},
          {1, 300, 20000}, {2, 900, 5000},   {5000, 100, 700}, {257, 255, 4097},
          {256, 64, 256},  {3000, 64, 9000}, {17, 33, 8193},   {1025, 999, 16385}};
}

double above_zero(uint64_t bits) {  // in (0, 1]
  return (static_cast<double>(bits >> 11) + 1) * 0x1p-53;
}

// uniform: the weight of a row is u^-0.8, at most 10^5, so that a few rows have thousands of times
// the entries of most others (a power law), and one row in eight is empty. offset: all rows are of
// one length. outliers: the first and the last row have nearly everything. alternating: every
// second row is empty.
double weight_of(int64_t row, int64_t rows, Draw draw, Random& random) {
  const bool empty = random.next() % 8 == 0;
  const double power = std::min(1e5, std::pow(above_zero(random.next()), -0.8));
  switch (draw) {
    case Draw::offset:
      return 1;
    case Draw::outliers:
      return row == 0 || row + 1 == rows ? 1e6 : 1;
    case Draw::alternating:
      return row % 2 ? 1 : 0;
    case Draw::uniform:
    case Draw::zeros:
    case Draw::denormals:
    case Draw::ascending:
      break;
  }
  return empty ? 0 : power;
}

void draw_row_offsets(std::span<int32_t> offsets, int64_t entries, Draw draw, uint64_t seed) {
  Random random(seed);
  const auto rows = static_cast<int64_t>(offsets.size()) - 1;
  std::vector<double> until = {0};
  for (int64_t row = 0; row < rows; ++row)
    until.push_back(until.back() + weight_of(row, rows, draw, random));
  const double all = until.back();
  for (size_t row = 0; row < offsets.size(); ++row)
    offsets[row] =
        all > 0 ? static_cast<int32_t>(static_cast<double>(entries) * until[row] / all) : 0;
  offsets.back() = static_cast<int32_t>(entries);
}

void draw_columns(std::span<int32_t> columns, int64_t cols, uint64_t seed) {
  rows_in_parallel(static_cast<int64_t>(columns.size()), 1 << 16, [&](int64_t first, int64_t last) {
    Random random(seed);
    random.skip(first);
    for (int64_t i = first; i < last; ++i)
      columns[static_cast<size_t>(i)] = static_cast<int32_t>(random.from_one_to(cols) - 1);
  });
}

std::vector<Expected> csr_multiplied(const Case& given) {
  const auto offsets = given.input<int32_t>(0), columns = given.input<int32_t>(1);
  const auto values = given.input<float>(2), x = given.input<float>(3);
  const auto rows = static_cast<size_t>(given.sizes[0]);
  Expected y{4, LargeArray<double>(rows), LargeArray<float>(rows)};
  rows_in_parallel(static_cast<int64_t>(rows), 256, [&](int64_t first, int64_t last) {
    for (auto row = static_cast<size_t>(first); row < static_cast<size_t>(last); ++row) {
      double sum = 0, magnitude = 0;
      for (auto i = static_cast<size_t>(offsets[row]); i < static_cast<size_t>(offsets[row + 1]);
           ++i) {
        const double term = static_cast<double>(values[i]) *
                            static_cast<double>(x[static_cast<size_t>(columns[i])]);
        sum += term;
        magnitude += std::fabs(term);
      }
      y.value[row] = sum;
      y.tolerance[row] = tolerance_of(Type::float32, offsets[row + 1] - offsets[row], magnitude);
    }
  });
  return {std::move(y)};
}

}  // namespace

Problem spmv() {
  return {
      .id = "spmv",
      .signature =
          "(const int* offsets, const int* columns, const float* values, const float* x, float* y, int rows, "
          "int cols, int entries, cudaStream_t stream)",
      .size_names = {"rows", "cols", "entries"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        return {{"offsets", Role::input, {sizes[0] + 1}, Type::int32},
                {"columns", Role::input, {sizes[2]}, Type::int32},
                {"values", Role::input, {sizes[2]}},
                {"x", Role::input, {sizes[1]}},
                {"y", Role::output, {sizes[0]}}};
      },
      .operations = [](const Sizes& sizes) { return 2 * static_cast<double>(sizes[2]); },
      .fill =
          [](const Fill& fill) {
            if (fill.buffer > 1) return false;
            const std::span numbers(reinterpret_cast<int32_t*>(fill.data.data()),
                                    fill.data.size() / sizeof(int32_t));
            if (fill.buffer == 0)
              draw_row_offsets(numbers, fill.sizes[2], fill.draw, fill.seed);
            else
              draw_columns(numbers, fill.sizes[1], fill.seed);
            return true;
          },
      .reference = csr_multiplied,
      .call =
          [](void* entry, const Arguments& with) {
            auto function =
                reinterpret_cast<void (*)(const int32_t*, const int32_t*, const float*,
                                          const float*, float*, int, int, int, Stream)>(entry);
            function(with.buffer<int32_t>(0), with.buffer<int32_t>(1), with.buffer<float>(2),
                     with.buffer<float>(3), with.buffer<float>(4), with.size(0), with.size(1),
                     with.size(2), with.stream);
          },
      .edge_sizes = shapes_of_matrices(),
      .hidden_limit = {3000, 1000, 40000},
  };
}

}  // namespace ridge::problems
