// Which launch of the program is the one to trace, and what to say when it never came.
#pragma once

#include <string>

#include "virtual_gpu/runtime/process/settings.h"

namespace ridge::runtime {

// Whether this launch is the one, and says so to those that come after. `kernel` is demangled.
bool claim_trace(const Settings& settings, const std::string& kernel, bool in_range);

// At the program's end: one message when a trace was asked for and no launch was claimed, with the launches
// that there were; "" when there is nothing to say.
std::string missed_trace_text(const Settings& settings);

}  // namespace ridge::runtime
