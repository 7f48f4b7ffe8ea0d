#include "harness/problems/product.h"

#include <algorithm>

#include "harness/problems/rows_in_parallel.h"

namespace ridge::problems {

namespace {

// Six rows of eight sums are twelve AVX registers of four doubles; the other four are for what is multiplied.
constexpr int64_t kTileRows = 6, kTileColumns = 8;
constexpr int64_t kPiece = 256;            // of k: a panel's piece is 16 KiB, half of an L1
constexpr int64_t kRows = 16 * kTileRows;  // of A, which a thread keeps in its L2 while all panels go by

using Four [[gnu::vector_size(4 * sizeof(double))]] = double;

// The second factor in panels of eight columns, each [k][8], zeros beyond n.
std::vector<double> panels_of(std::span<const double> b, Factor lies, int64_t n, int64_t k) {
  const int64_t panels = (n + kTileColumns - 1) / kTileColumns;
  std::vector<double> packed(static_cast<size_t>(panels * k * kTileColumns));
  rows_in_parallel(panels, 1, [&](int64_t panel, int64_t) {
    const int64_t first = panel * kTileColumns, width = std::min(kTileColumns, n - first);
    double* to = packed.data() + panel * k * kTileColumns;
    for (int64_t p = 0; p < k; ++p, to += kTileColumns)
      for (int64_t j = 0; j < width; ++j)
        to[j] = b[static_cast<size_t>(lies == Factor::rows_of_n ? p * n + first + j : (first + j) * k + p)];
  });
  return packed;
}

// sums [6][8] of A [6][stride] times a piece of a panel. Copied in and out byte by byte, as far as the
// language is concerned: how registers want memory aligned depends on the instruction set.
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

// A tile at the lower edge has fewer rows: they are multiplied one by one.
void multiply_row(const double* a, const double* panel, int64_t depth, double* sums) {
  for (int64_t p = 0; p < depth; ++p)
    for (int64_t j = 0; j < kTileColumns; ++j)
      sums[j] += a[p] * panel[p * kTileColumns + j];
}

// Adds to C [rows][n] what the elements `first` to `first + depth` of k bring to one panel's columns.
void multiply_panel(const double* a, const double* panel, double* c, int64_t rows, int64_t width, int64_t n,
                    int64_t k, int64_t depth) {
  for (int64_t row = 0; row < rows; row += kTileRows) {
    const int64_t height = std::min(kTileRows, rows - row);
    double sums[kTileRows * kTileColumns] = {};
    if (height == kTileRows)
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

std::vector<double> multiply(std::span<const double> a, std::span<const double> b, Factor lies, int64_t m,
                             int64_t n, int64_t k) {
  const std::vector<double> panels = panels_of(b, lies, n, k);
  std::vector<double> c(static_cast<size_t>(m * n));
  rows_in_parallel(m, kRows, [&](int64_t first, int64_t last) {
    for (int64_t p = 0; p < k; p += kPiece)
      for (int64_t column = 0; column < n; column += kTileColumns)
        multiply_panel(a.data() + first * k + p, panels.data() + column * k + p * kTileColumns,
                       c.data() + first * n + column, last - first, std::min(kTileColumns, n - column), n, k,
                       std::min(kPiece, k - p));
  });
  return c;
}

}  // namespace ridge::problems
