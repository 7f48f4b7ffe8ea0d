// Types and shapes of __shared__ arrays. PTX knows a name, an offset and a number of bytes; the declaration
// is in the source: `__shared__ float tile[kTile][kTile + 1];`. It is read as far as it is plain, and
// believed only when its size is the array's. A length that cannot be worked out (a template's parameter)
// follows from the size when it is the only one.
#pragma once

#include <vector>

#include "trace/access_trace.h"

namespace ridge::trace {

// Fills in type, element_bytes and extent of those shared arrays that have none.
void shape_shared_arrays(std::vector<TraceArray>& arrays, const std::vector<TraceSource>& sources);

}  // namespace ridge::trace
