// The capabilities of the terminal: colours and columns.
#pragma once

#include <string>
#include <string_view>

namespace ridge::report {

enum class Colour { none, red, green, yellow, cyan, dim, bold };

struct Style {
  bool colour = false;
  int width = 80;  // columns
  bool narrow =
      false;  // the terminal is narrow: wider text is folded; never for files and pipes
  std::string paint(Colour colour, std::string_view text) const;  // unchanged without colours
};

// Colours only on a terminal, and not with NO_COLOR set (to a non-empty value) or TERM=dumb. The
// width is the terminal's, $COLUMNS, or 80, and at least 40.
Style style_of(int file_descriptor);

}  // namespace ridge::report
