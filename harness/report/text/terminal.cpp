#include "harness/report/text/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

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

size_t columns_of(std::string_view text) {
  size_t columns = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm')
        ++i;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      ++columns;
    }
  }
  return columns;
}

std::string padded(std::string_view text, size_t columns) {
  const size_t used = columns_of(text);
  return std::string(text) + std::string(columns > used ? columns - used : 0, ' ');
}

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  const std::string margin(indent, ' ');
  const size_t room = width > indent + 20 ? width - indent : 20;
  std::string result;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string current;
    for (std::string word; words >> word;) {
      if (!current.empty() && columns_of(current) + 1 + columns_of(word) > room) {
        result += margin + current + "\n";
        current.clear();
      }
      current += (current.empty() ? "" : " ") + word;
    }
    result += current.empty() ? "\n" : margin + current + "\n";
  }
  return result;
}

std::string indented(std::string_view text, size_t indent) {
  std::string result;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    result += line.empty() ? "\n" : std::string(indent, ' ') + line + "\n";
  }
  return result;
}

}  // namespace ridge::report
