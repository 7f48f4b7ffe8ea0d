// What the virtual GPU's faults and races become in the report: findings.
#pragma once

#include <string>

#include "trace/launch_report.h"
#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/observe/uninitialised/undefined_results.h"

namespace ridge::runtime {

trace::Finding finding_of(const machine::Fault& fault);

// Appends a line to the report that only holds the finding about this race of a copy in a stream of
// `device`, if there is a report.
void report_race_of_copy(const std::string& message, unsigned device);

// The same for a result that is copied to the host.
void report_undefined_result(const observe::UndefinedResult& result);

}  // namespace ridge::runtime
