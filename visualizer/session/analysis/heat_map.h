// An array as a picture: a cell is a sector, or a square of several if they do not fit.
#pragma once

#include <cstdint>
#include <vector>

#include "visualizer/session/analysis/touches.h"

namespace ridge::view {

struct HeatCell {
  uint32_t touches = 0;  // of its most touched sector
  float wasted = 0;      // fraction of its touches that a perfect layout would not need, 0 to 1
  TouchTime first;       // of the cell's first touch
  uint16_t first_block = 0, last_writer = 0;  // number of the recorded block, from 1; 0: none
};

struct HeatMap {
  static constexpr int kMostSide = 512;
  int width = 0, height = 0;
  // Adjacent sectors per cell, and rows per cell. (Elements or pixels are square on screen, so
  // cells are not: `aspect`.)
  uint64_t sectors_per_cell = 1, rows_per_cell = 1;
  uint64_t sectors_per_row = 1;  // of the array
  float aspect = 1;              // of the whole picture, width / height
  // True: its rows are those of the array; false: the folding is arbitrary.
  bool has_shape = false;
  std::vector<HeatCell> cells;   // [height][width]

  // The cell of a sector, and the first sector of a cell.
  size_t cell_of(uint64_t sector) const;
  uint64_t sector_of(int column, int row) const;
};

HeatMap heat_map(const trace::TraceArray& array, const ArrayTouches& touches);

}  // namespace ridge::view
