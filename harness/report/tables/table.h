// Columns of text.
#pragma once

#include <string>
#include <vector>

#include "harness/report/text/terminal.h"

namespace ridge::report {

struct Cell {
  std::string text = {};
  Colour colour = Colour::none;
  bool right = false;  // numbers
};

// Each column as wide as its widest cell, two spaces between, no spaces at a line's end. Where a narrow
// terminal has no room for that a row takes several lines, further in from the second on, and the first row's
// titles stand before numbers.
std::string table_of(const std::vector<std::vector<Cell>>& rows, const Style& style);

}  // namespace ridge::report
