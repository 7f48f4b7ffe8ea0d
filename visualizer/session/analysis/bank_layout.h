// "What if" an array of shared memory had another layout: the addresses of the lanes in that
// layout.
#pragma once

#include <array>

#include "trace/access_trace.h"

namespace ridge::view {

// The layout of an array in shared memory, and the lanes' stride in it.
struct ArrayLayout {
  uint64_t base = 0;      // offset of its first element
  uint32_t columns = 32;  // elements per row
  uint32_t element_bytes = 4;
};

// "What if": the same lanes with another layout of the array, or another stride.
struct LayoutChange {
  uint32_t pad = 0;            // elements added to each row
  bool swizzle = false;        // column ^ row, within the row
  uint32_t element_bytes = 0;  // 0: unchanged
  // Lane k accesses element k * stride, relative to lane 0's; 0: unchanged.
  uint32_t stride = 0;
  bool changes() const { return pad != 0 || swizzle || element_bytes != 0 || stride != 0; }
};

struct LaidOut {
  std::array<uint64_t, 32> offsets{};
  uint32_t bytes = 4;  // per lane
};
LaidOut laid_out(const trace::TraceRecord& record, const ArrayLayout& array, const LayoutChange& change);

}  // namespace ridge::view
