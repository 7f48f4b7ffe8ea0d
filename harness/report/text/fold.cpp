#include "harness/report/text/fold.h"

#include <algorithm>
#include <sstream>

#include "harness/report/text/terminal.h"
#include "text/layout.h"

namespace ridge::report {
namespace {

// The end of the unit at `at`: a colour sequence or a UTF-8 character.
size_t unit_end(std::string_view text, size_t at) {
  size_t end = at + 1;
  if (text[at] == '\x1b') {
    while (end < text.size() && text[end - 1] != 'm')
      ++end;
  } else {
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
      ++end;
  }
  return end;
}

std::string without_tabs(std::string_view line) {
  std::string text;
  size_t column = 0;
  for (size_t at = 0; at < line.size();) {
    const size_t end = unit_end(line, at);
    if (line[at] == '\t') {
      const size_t blanks = 8 - column % 8;
      text.append(blanks, ' ');
      column += blanks;
    } else {
      text += line.substr(at, end - at);
      column += line[at] != '\x1b';
    }
    at = end;
  }
  return text;
}

void fold_line(const std::string& line, size_t width, std::vector<std::string>& lines) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::string margin(indent * 2 < width ? indent : 0, ' ');
  std::string current, colour;
  size_t columns = 0, blank = 0;  // blank: where `current` can be broken; 0: nowhere
  for (size_t at = 0; at < line.size();) {
    const size_t end = unit_end(line, at);
    const std::string unit = line.substr(at, end - at);
    at = end;
    if (unit[0] == '\x1b') {
      colour = unit == "\x1b[0m" ? "" : unit;
      current += unit;
      continue;
    }
    if (columns == width) {
      const bool at_blank = unit == " ";  // the line break replaces it
      std::string rest = blank > 0 && !at_blank ? current.substr(blank) : "";
      if (blank > 0 && !at_blank) current.resize(blank);
      while (!current.empty() && current.back() == ' ')
        current.pop_back();
      lines.push_back(current + (colour.empty() ? "" : "\x1b[0m"));
      rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
      current = margin + colour + rest;
      columns = text::columns_of(current);
      blank = 0;
      if (at_blank) continue;
    }
    if (unit == " " && columns > indent) blank = current.size();
    current += unit;
    ++columns;
  }
  lines.push_back(current);
}

}  // namespace

std::vector<std::string> folded(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  width = std::max<size_t>(width, 8);
  for (std::string line; std::getline(stream, line);)
    fold_line(without_tabs(line), width, lines);
  return lines;
}

std::string fitted(std::string_view text, const Style& style) {
  if (!style.narrow) return std::string(text);
  std::string result;
  for (const std::string& line : folded(text, static_cast<size_t>(style.width)))
    result += line + "\n";
  return result;
}

std::string cut(std::string_view text, size_t width) {
  if (text::columns_of(text) <= width) return std::string(text);
  std::string result;
  size_t columns = 0;
  bool coloured = false;
  for (size_t at = 0; at < text.size() && columns + 1 < width;) {
    const size_t end = unit_end(text, at);
    columns += text[at] != '\x1b';
    coloured |= text[at] == '\x1b';
    result += text.substr(at, end - at);
    at = end;
  }
  return result + (width > 0 ? "…" : "") + (coloured ? "\x1b[0m" : "");
}

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 || c == '\n' || c == '\t')
      result += byte == 0x7f ? '?' : c;
    else if (c != '\r')
      result += '?';
  }
  return result;
}

}  // namespace ridge::report
