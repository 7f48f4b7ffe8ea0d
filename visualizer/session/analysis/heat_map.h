// An array as a picture: a cell is a sector, or a square of several where they do not fit.
#pragma once

#include <cstdint>
#include <vector>

#include "visualizer/session/analysis/touches.h"

namespace ridge::view {

struct HeatCell {
  uint32_t touches = 0;  // of its busiest sector
  float wasted = 0;      // the part of its sectors' touches that a perfect layout would not need, 0 to 1
  TouchTime first;       // of its first touch
  uint16_t first_block = 0, last_writer = 0;  // which of the recorded blocks, from 1; 0: none
};

struct HeatMap {
  static constexpr int kMostSide = 512;
  int width = 0, height = 0;
  // Sectors side by side in a cell, and rows of the array. (Elements are as wide as high on screen, so a cell is
  // not: `aspect`.)
  uint64_t sectors_per_cell = 1, rows_per_cell = 1;
  uint64_t sectors_per_row = 1;  // of the array
  float aspect = 1;              // of the whole picture, width / height, with square elements
  bool has_shape = false;        // its rows are those of the array; else only a way to fold it
  std::vector<HeatCell> cells;   // [height][width]

  // The cell of a sector, and the first sector of a cell.
  size_t cell_of(uint64_t sector) const;
  uint64_t sector_of(int column, int row) const;
};

HeatMap heat_map(const trace::TraceArray& array, const ArrayTouches& touches);

}  // namespace ridge::view
