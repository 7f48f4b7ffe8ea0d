// The part of a program between cudaProfilerStart and cudaProfilerStop: a range.
#pragma once

namespace ridge::runtime {

// Resets the counts of the range.
void begin_range();
// Appends the counts of the range to the report.
void end_range();

}  // namespace ridge::runtime
