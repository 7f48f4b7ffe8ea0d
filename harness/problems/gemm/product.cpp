#include "harness/problems/gemm/product.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

// Six rows of eight accumulators take twelve AVX registers of four doubles; the other four hold
// operands.
constexpr int64_t kTileRows = 6, kTileColumns = 8;
constexpr int64_t kPiece = 256;            // along k: a panel's piece is 16 KiB, half of an L1
// Rows of A that a thread keeps in L2 while it processes all panels.
constexpr int64_t kRows = 16 * kTileRows;
constexpr int64_t kFewestRows = 2 * kTileRows;

using Four [[gnu::vector_size(4 * sizeof(double))]] = double;

// The second factor in panels of eight columns, each [k][8], zero beyond n.
LargeArray<double> panels_of(std::span<const double> b, Factor lies, int64_t n, int64_t k) {
  const int64_t panels = (n + kTileColumns - 1) / kTileColumns;
  LargeArray<double> packed(static_cast<size_t>(panels * k * kTileColumns));
  rows_in_parallel(panels, 1, [&](int64_t panel, int64_t) {
    const int64_t first = panel * kTileColumns, width = std::min(kTileColumns, n - first);
    double* to = packed.data() + panel * k * kTileColumns;
    for (int64_t p = 0; p < k; ++p, to += kTileColumns) {
      for (int64_t j = 0; j < width; ++j)
        to[j] = b[static_cast<size_t>(lies == Factor::rows_of_n ? p * n + first + j : (first + j) * k + p)];
      std::fill(to + width, to + kTileColumns, 0.0);
    }
  });
  return packed;
}

// sums [6][8] of A [6][stride] times a piece of a panel. memcpy loads and stores the vectors
// because their alignment depends on the instruction set.
[[gnu::target_clones("arch=x86-64-v3", "default")]] void multiply_tile(const double* a, int64_t stride,
                                                                       const double* panel, int64_t depth,
                                                                       double* sums) {
  Four left[kTileRows] = {}, right[kTileRows] = {};
  for (int64_t p = 0; p < depth; ++p, ++a, panel += kTileColumns) {
    const Four b0 = {panel[0], panel[1], panel[2], panel[3]}, b1 = {panel[4], panel[5], panel[6], panel[7]};
    for (int64_t i = 0; i < kTileRows; ++i) {
      left[i] += a[i * stride] * b0;
      right[i] += a[i * stride] * b1;
    }
  }
  for (int64_t i = 0; i < kTileRows; ++i)
    for (int64_t j = 0; j < 4; ++j) {
      sums[i * kTileColumns + j] = left[i][j];
      sums[i * kTileColumns + 4 + j] = right[i][j];
    }
}

// With AVX-512: twelve rows of eight accumulators take twelve registers, enough to hide the latency
// of FMA. Called only if the processor supports it.
constexpr int64_t kWideTileRows = 12;
#if defined(__x86_64__)
using Eight [[gnu::vector_size(8 * sizeof(double))]] = double;

[[gnu::target("arch=x86-64-v4")]] void multiply_wide_tile(const double* a, int64_t stride,
                                                          const double* panel, int64_t depth, double* sums) {
  Eight rows[kWideTileRows] = {};
  for (int64_t p = 0; p < depth; ++p, ++a, panel += kTileColumns) {
    Eight b;
    std::memcpy(&b, panel, sizeof b);
    for (int64_t i = 0; i < kWideTileRows; ++i)
      rows[i] += a[i * stride] * b;
  }
  for (int64_t i = 0; i < kWideTileRows; ++i)
    std::memcpy(sums + i * kTileColumns, &rows[i], sizeof rows[i]);
}

bool is_wide() {
  static const bool wide = __builtin_cpu_supports("x86-64-v4");
  return wide;
}
#else
void multiply_wide_tile(const double*, int64_t, const double*, int64_t, double*) {}
bool is_wide() {
  return false;
}
#endif

// A tile at the lower edge has fewer rows, which are multiplied one by one.
void multiply_row(const double* a, const double* panel, int64_t depth, double* sums) {
  for (int64_t p = 0; p < depth; ++p)
    for (int64_t j = 0; j < kTileColumns; ++j)
      sums[j] += a[p] * panel[p * kTileColumns + j];
}

// Adds to C [rows][n] the contribution of elements `first` to `first + depth` of k for one panel's
// columns.
void multiply_panel(const double* a, const double* panel, double* c, int64_t rows, int64_t width, int64_t n,
                    int64_t k, int64_t depth) {
  const int64_t tile_rows = is_wide() ? kWideTileRows : kTileRows;
  for (int64_t row = 0; row < rows; row += tile_rows) {
    const int64_t height = std::min(tile_rows, rows - row);
    double sums[kWideTileRows * kTileColumns] = {};
    if (height == kWideTileRows)
      multiply_wide_tile(a + row * k, k, panel, depth, sums);
    else if (height == kTileRows)
      multiply_tile(a + row * k, k, panel, depth, sums);
    else
      for (int64_t i = 0; i < height; ++i)
        multiply_row(a + (row + i) * k, panel, depth, sums + i * kTileColumns);
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < width; ++j)
        c[(row + i) * n + j] += sums[i * kTileColumns + j];
  }
}

}  // namespace

LargeArray<double> multiply(std::span<const double> a, std::span<const double> b, Factor lies, int64_t m,
                             int64_t n, int64_t k) {
  const LargeArray<double> panels = panels_of(b, lies, n, k);
  LargeArray<double> c(static_cast<size_t>(m * n));
  // With few rows of A, use fewer rows per thread, so that all cores have work.
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const int64_t per_core = (m / cores + kFewestRows - 1) / kFewestRows * kFewestRows;
  const int64_t rows_at_a_time = std::clamp(per_core, kFewestRows, kRows);
  rows_in_parallel(m, rows_at_a_time, [&](int64_t first, int64_t last) {
    std::fill(c.begin() + first * n, c.begin() + last * n, 0.0);
    for (int64_t p = 0; p < k; p += kPiece)
      for (int64_t column = 0; column < n; column += kTileColumns)
        multiply_panel(a.data() + first * k + p, panels.data() + column * k + p * kTileColumns,
                       c.data() + first * n + column, last - first, std::min(kTileColumns, n - column), n, k,
                       std::min(kPiece, k - p));
  });
  return c;
}

}  // namespace ridge::problems
