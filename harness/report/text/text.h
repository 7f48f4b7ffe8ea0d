// Formats results for a terminal.
#pragma once

#include <span>
#include <string>

#include "harness/report/store/json.h"
#include "harness/report/text/terminal.h"

namespace ridge::report {

Colour colour_of(grade::Verdict verdict);

// One line with the verdict and the rung's name; then, indented: the sentence, the advice, details,
// measured percentages, gates, and counts of every source line.
std::string show(const Graded& graded, const Style& style);
// "3 of 4 rungs pass (1 gold): …" for several results.
std::string show_summary(std::span<const Graded> results, const Style& style);

}  // namespace ridge::report
