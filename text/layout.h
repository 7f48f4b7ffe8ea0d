// Lays out text for a terminal: lines, widths, margins, line breaks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::text {

// The lines of a text without their ends ("\n" or "\r\n"). A text that ends with "\n" has no empty
// last line. Views into `text`.
std::vector<std::string_view> lines_of(std::string_view text);
// The same including their ends: concatenated they are the text.
std::vector<std::string_view> lines_with_ends(std::string_view text);

// Number of columns that a text takes: code points, without colour sequences ("\x1b[...m").
size_t columns_of(std::string_view text);
// Appends spaces up to `columns`; a longer text is returned unchanged.
std::string padded(std::string_view text, size_t columns);
// Breaks at spaces so that no line is longer than `width`, and indents every line. Line ends in the
// text are kept. At least 20 columns are used, even if `width` leaves fewer.
std::string wrapped(std::string_view text, size_t width, size_t indent);
// Indents every line that is not empty, without breaking lines: for compiler messages and tables.
std::string indented(std::string_view text, size_t indent);

// Replaces control characters, line ends and tabs too, by "?": a file's name must not begin a line of
// its own in a message.
std::string one_line(std::string_view text);

}  // namespace ridge::text
