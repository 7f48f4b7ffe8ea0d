// What if an array of shared memory had another layout: where the lanes of an access would go then.
#pragma once

#include <array>

#include "trace/access_trace.h"

namespace ridge::view {

// How an array of shared memory is laid out, and how the lanes walk through it.
struct ArrayLayout {
  uint64_t base = 0;      // offset of its first element
  uint32_t columns = 32;  // elements of a row
  uint32_t element_bytes = 4;
};

// "What if": the same lanes with the array laid out otherwise, or walked through otherwise.
struct LayoutChange {
  uint32_t pad = 0;            // elements added to a row
  bool swizzle = false;        // column ^ row, within the row
  uint32_t element_bytes = 0;  // 0: as it is
  uint32_t stride = 0;         // lane k takes element k * stride from lane 0's on; 0: as it is
  bool changes() const { return pad != 0 || swizzle || element_bytes != 0 || stride != 0; }
};

struct LaidOut {
  std::array<uint64_t, 32> offsets{};
  uint32_t bytes = 4;  // per lane
};
LaidOut laid_out(const trace::TraceRecord& record, const ArrayLayout& array, const LayoutChange& change);

}  // namespace ridge::view
