// Text that is wider than its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/text/terminal.h"

namespace ridge::report {

// Lines no longer than `width`: broken at spaces where there are any, the rest of a line as far in as its
// beginning, colours carried over. Tabs become spaces.
std::vector<std::string> folded(std::string_view text, size_t width);
// The same as one text, where the terminal is narrow; unchanged elsewhere.
std::string fitted(std::string_view text, const Style& style);
std::string cut(std::string_view text,
                size_t width);  // to so many columns, with "…" where something is missing

// Without control characters but line feeds and tabs: what a student's program printed must not move the
// cursor.
std::string printable(std::string_view text);

}  // namespace ridge::report
