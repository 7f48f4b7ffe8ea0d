#include "text/layout.h"

#include <algorithm>

namespace ridge::text {

std::vector<std::string_view> lines_with_ends(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = lines_with_ends(text);
  for (std::string_view& line : lines) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
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

std::string one_line(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return result;
}

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  constexpr std::string_view kBlank = " \t\r\v\f";
  const std::string margin(indent, ' ');
  const size_t room = width > indent + 20 ? width - indent : 20;
  std::string result;
  for (std::string_view line : lines_of(text)) {
    std::string current;
    while (true) {
      line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
      if (line.empty()) break;
      const std::string_view word = line.substr(0, line.find_first_of(kBlank));
      line.remove_prefix(word.size());
      if (!current.empty() && columns_of(current) + 1 + columns_of(word) > room) {
        result += margin + current + "\n";
        current.clear();
      }
      current.append(current.empty() ? "" : " ").append(word);
    }
    result += current.empty() ? "\n" : margin + current + "\n";
  }
  return result;
}

std::string indented(std::string_view text, size_t indent) {
  std::string result;
  for (const std::string_view line : lines_of(text))
    result.append(line.empty() ? 0 : indent, ' ').append(line).append("\n");
  return result;
}

}  // namespace ridge::text
