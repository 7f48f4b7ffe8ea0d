// What the terminal can show: colours and columns.
#pragma once

#include <string>
#include <string_view>

namespace ridge::report {

enum class Colour { none, red, green, yellow, cyan, dim, bold };

struct Style {
  bool colour = false;
  int width = 80;  // columns
  bool narrow =
      false;  // they are known to be few: what is wider is folded. Never what goes into a file or a pipe.
  std::string paint(Colour colour, std::string_view text) const;  // unchanged without colours
};

// Colours only on a terminal, and not with NO_COLOR set (to anything but nothing) or TERM=dumb. The width is
// the terminal's, $COLUMNS, or 80, and at least 40.
Style style_of(int file_descriptor);

}  // namespace ridge::report
