// Columns of text.
#pragma once

#include <string>
#include <vector>

#include "harness/report/text/terminal.h"

namespace ridge::report {

struct Cell {
  std::string text = {};
  Colour colour = Colour::none;
  bool right = false;  // right-aligned, for numbers
};

// Each column is as wide as its widest cell, with two spaces between columns and none at a line's
// end. If the terminal is too narrow, a row takes several lines, the later ones indented, and the
// titles precede the numbers.
std::string table_of(const std::vector<std::vector<Cell>>& rows, const Style& style);

}  // namespace ridge::report
