// A trace as text, for `ridge trace --print`.
#pragma once

#include <cstdint>
#include <string>

#include "trace/access_trace.h"

namespace ridge::cli {

// The launch, its counts, the arrays, the scene, and the first `most_records` records of each
// block, one per line.
std::string trace_text(const trace::AccessTrace& trace, uint64_t most_records);

}  // namespace ridge::cli
