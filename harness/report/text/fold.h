// Wraps and cuts text that is wider than its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/text/terminal.h"

namespace ridge::report {

// Lines no longer than `width`: broken at spaces if possible, continuation lines indented like the
// first, colours carried over. Tabs become spaces.
std::vector<std::string> folded(std::string_view text, size_t width);
// The same as one text, if the terminal is narrow; otherwise unchanged.
std::string fitted(std::string_view text, const Style& style);
std::string cut(std::string_view text,
                size_t width);  // to this many columns, with "…" for the rest

// Removes control characters except line feeds and tabs: the output of a student's program must not
// move the cursor.
std::string printable(std::string_view text);

}  // namespace ridge::report
