// Texts for records that are not memory accesses.
#pragma once

#include <string>

#include "trace/access_trace.h"

namespace ridge::view {

// Describes such a record: which warp waits for what, and what signals completion.
std::string event_text(const trace::AccessTrace& trace, const trace::TraceRecord& record);

}  // namespace ridge::view
