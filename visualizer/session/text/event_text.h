// Words for what a warp does beside touching memory.
#pragma once

#include <string>

#include "trace/access_trace.h"

namespace ridge::view {

// What is to know of a record that is no access: who waits for what, and what signals when it is done.
std::string event_text(const trace::AccessTrace& trace, const trace::TraceRecord& record);

}  // namespace ridge::view
