// Selects the launch to trace, and the message when no launch was selected.
#pragma once

#include <string>

#include "virtual_gpu/runtime/process/settings.h"

namespace ridge::runtime {

// True for the launch to trace; later calls return false. `kernel` is demangled.
bool claim_trace(const Settings& settings, const std::string& kernel, bool in_range);

// At the program's end: a message when a trace was requested and no launch matched, with the
// launches that occurred; otherwise "".
std::string missed_trace_text(const Settings& settings);

}  // namespace ridge::runtime
