// The last runs of a rung in one line: a mark for each verdict, and how close each came.
#pragma once

#include <span>
#include <string>

#include "harness/report/store/past_run.h"
#include "harness/report/text/terminal.h"

namespace ridge::report {

inline constexpr size_t kTrendRuns = 10;

// "last 5 ✗ ✗ ~ ~ ✓ ▁▃█ store_sectors_per_request 32 → 4". Marks: ✗ wrong, ~ right but slow, ✓
// pass, ★ gold, ? no verdict on correctness or speed. Bars: percent of the baseline if it was
// measured, otherwise how close the gate that was furthest away came to its limit; only right
// answers have a bar. "" without runs. Oldest first.
std::string trend_line(std::span<const PastRun> runs, const Style& style);

}  // namespace ridge::report
