// What the terminal can show, and text laid out for it.
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

size_t columns_of(std::string_view text);                   // code points, without colour sequences
std::string padded(std::string_view text, size_t columns);  // with spaces behind; longer texts stay whole
// Breaks at spaces so that no line is longer than `width`, every line indented. Line feeds in the text stay.
std::string wrapped(std::string_view text, size_t width, size_t indent);
// Every line indented and none broken: compiler messages and tables.
std::string indented(std::string_view text, size_t indent);

}  // namespace ridge::report
