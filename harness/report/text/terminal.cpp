#include "harness/report/text/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace ridge::report {

std::string Style::paint(Colour chosen, std::string_view text) const {
  if (!colour || chosen == Colour::none) return std::string(text);
  const char* code = "";
  switch (chosen) {
    case Colour::red:
      code = "31;1";
      break;
    case Colour::green:
      code = "32;1";
      break;
    case Colour::yellow:
      code = "33;1";
      break;
    case Colour::cyan:
      code = "36";
      break;
    case Colour::dim:
      code = "2";
      break;
    case Colour::bold:
      code = "1";
      break;
    case Colour::none:
      break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

Style style_of(int file_descriptor) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  Style style;
  style.colour = isatty(file_descriptor) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  winsize size{};
  if (ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = size.ws_col;
    style.narrow = true;
  } else if (const int columns = std::atoi(variable("COLUMNS").c_str()); columns > 0) {
    style.width = columns;
    style.narrow = true;
  }
  style.width = std::max(style.width, 40);
  return style;
}

}  // namespace ridge::report
