// The counts of the virtual GPU, one row per source line.
#pragma once

#include <span>
#include <string>

#include "harness/grade/grade.h"
#include "harness/report/text/terminal.h"

namespace ridge::report {

// line | what | requests | sectors/request (ideal) | wavefronts (ideal); figures above their ideal
// are highlighted.
std::string counts_table(std::span<const grade::CountRow> rows, const Style& style);

}  // namespace ridge::report
