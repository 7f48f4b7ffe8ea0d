// Folds an array's sectors into rows and aggregates them by cell.
#include "visualizer/session/analysis/heat_map.h"

#include <algorithm>
#include <cmath>

namespace ridge::view {
namespace {

uint64_t divided_up(uint64_t value, uint64_t by) {
  return (value + by - 1) / by;
}

struct Row {
  uint64_t sectors = 0;  // 0: the array has no rows of whole sectors
  float aspect = 1;      // of the whole picture
};

// A row of the picture is one of the array, with square elements. An array of images [n][h][w][c] is
// drawn as its images, one below the other: a row of pixels per row, with square pixels.
Row row_of(const trace::TraceArray& array, uint64_t sectors) {
  constexpr float kMostUneven = 4;  // beyond it, four extents are hardly those of images
  const auto& extent = array.extent;
  if (extent.size() < 2 || array.element_bytes == 0) return {};
  const auto row = [&](uint64_t elements, uint64_t squares) -> Row {
    const uint64_t bytes = elements * array.element_bytes;
    if (bytes % 32 != 0 || bytes / 32 == 0 || bytes / 32 > sectors) return {};
    return {bytes / 32, static_cast<float>(squares) / static_cast<float>(divided_up(sectors, bytes / 32))};
  };
  if (extent.size() == 4) {
    const Row of_pixels = row(extent[2] * extent[3], extent[2]);
    if (of_pixels.sectors > 0 && of_pixels.aspect <= kMostUneven && of_pixels.aspect >= 1 / kMostUneven)
      return of_pixels;
  }
  return row(extent.back(), extent.back());
}

}  // namespace

size_t HeatMap::cell_of(uint64_t sector) const {
  return sector / sectors_per_row / rows_per_cell * static_cast<size_t>(width) +
         sector % sectors_per_row / sectors_per_cell;
}

uint64_t HeatMap::sector_of(int column, int row) const {
  return static_cast<uint64_t>(row) * rows_per_cell * sectors_per_row +
         std::min(static_cast<uint64_t>(column) * sectors_per_cell, sectors_per_row - 1);
}

HeatMap heat_map(const trace::TraceArray& array, const ArrayTouches& touches) {
  HeatMap map;
  const uint64_t sectors = touches.sectors.size();
  const Row shaped = row_of(array, sectors);
  uint64_t row = shaped.sectors;
  map.has_shape = row > 0;
  map.aspect = shaped.aspect;
  if (!map.has_shape) {  // folded to about three times as wide as high
    row = std::max<uint64_t>(1, static_cast<uint64_t>(std::sqrt(3.0 * static_cast<double>(sectors))));
    map.aspect = 3;
  }
  const uint64_t rows = divided_up(sectors, row);
  while (row / map.sectors_per_cell > HeatMap::kMostSide)
    map.sectors_per_cell *= 2;
  while (rows / map.rows_per_cell > HeatMap::kMostSide)
    map.rows_per_cell *= 2;
  map.sectors_per_row = row;
  map.width = static_cast<int>(divided_up(row, map.sectors_per_cell));
  map.height = static_cast<int>(divided_up(rows, map.rows_per_cell));
  map.cells.resize(static_cast<size_t>(map.width) * static_cast<size_t>(map.height));
  std::vector<float> all(map.cells.size());
  for (uint64_t s = 0; s < sectors; ++s) {
    const SectorTouches& one = touches.sectors[s];
    if (one.touches() == 0) continue;
    const size_t at = map.cell_of(s);
    HeatCell& cell = map.cells[at];
    const auto first_block = static_cast<uint16_t>(std::min<uint32_t>(one.first.block + 1, 65535));
    if (cell.touches == 0 || one.first < cell.first) cell.first = one.first, cell.first_block = first_block;
    cell.touches = std::max(cell.touches, one.touches());
    cell.last_writer = std::max(cell.last_writer, one.last_writer);
    cell.wasted += one.wasted;
    all[at] += static_cast<float>(one.touches());
  }
  for (size_t at = 0; at < all.size(); ++at)
    if (all[at] > 0) map.cells[at].wasted /= all[at];
  return map;
}

}  // namespace ridge::view
