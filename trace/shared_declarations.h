// Types and shapes of __shared__ arrays. PTX has a name, an offset and a number of bytes; the
// source has the declaration: `__shared__ float tile[kTile][kTile + 1];`. Simple declarations are
// parsed, and used only if their size equals the array's. One length that cannot be evaluated (a
// template parameter) is derived from the size.
#pragma once

#include <vector>

#include "trace/access_trace.h"

namespace ridge::trace {

// Sets type, element_bytes and extent of those shared arrays that have none.
void shape_shared_arrays(std::vector<TraceArray>& arrays, const std::vector<TraceSource>& sources);

}  // namespace ridge::trace
