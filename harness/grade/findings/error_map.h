// A small picture of the places of errors in an output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::grade {

// Cells: '.' right, '+' some of its elements wrong, '#' wrong, '?' never written. At most 8 lines
// of at most 64 cells.
struct ErrorMap {
  std::string array;              // "out"
  int64_t rows = 0, columns = 0;  // of the array
  // 0: the lines show the rows and columns of the array. Otherwise the cells are in the order of
  // the elements, with this many elements per cell, and lines may be broken anywhere.
  int64_t elements_per_cell = 0;
  std::vector<std::string> lines;
};

}  // namespace ridge::grade
