// The file of RIDGE_REPORT: a JSON object per line. Without a report these functions do nothing.
#pragma once

#include <string>

#include "trace/launch_report.h"

namespace ridge::runtime {

// Appends one line with one write, so that launches of several threads and processes do not mix.
// Prints a message when the file cannot be written.
void append_to_report(std::string line);

// Adds a launch to the summary of RIDGE_REPORT_SUMMARY.
void add_to_summary(trace::LaunchReport report);
// Appends the summary after the last launch.
void write_launch_summary();

}  // namespace ridge::runtime
