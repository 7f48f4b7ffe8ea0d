// Computes the addresses of an access for a changed layout of its array.
#include "visualizer/session/analysis/bank_layout.h"

#include <algorithm>
#include <bit>

namespace ridge::view {

LaidOut laid_out(const trace::TraceRecord& record, const ArrayLayout& array, const LayoutChange& change) {
  const uint64_t element = std::max(1u, array.element_bytes), columns = std::max(1u, array.columns);
  const uint64_t wide = change.element_bytes ? change.element_bytes : element;
  // Lanes that access several elements at once keep them adjacent.
  const uint64_t unit = std::max<uint64_t>(1, record.bytes / element);
  LaidOut out{record.addresses, static_cast<uint32_t>(std::clamp<uint64_t>(unit * wide, 1, 16))};
  if (!change.element_bytes) out.bytes = record.bytes;
  const uint32_t first_lane = static_cast<uint32_t>(std::countr_zero(record.mask | 1u << 31));
  const uint64_t first =
      record.addresses[first_lane] < array.base ? 0 : (record.addresses[first_lane] - array.base) / element;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(record.mask >> lane & 1) || record.addresses[lane] < array.base) continue;
    const uint64_t inside = record.addresses[lane] - array.base;
    const uint64_t index =
        change.stride ? first + uint64_t{lane - first_lane} * change.stride * unit : inside / element;
    const uint64_t row = index / columns;
    uint64_t column = index % columns;
    if (change.swizzle && (columns & (columns - 1)) == 0) {
      const uint64_t units = columns / std::min(columns, unit);
      column = (column / unit ^ row % units) * unit + column % unit;
    }
    out.offsets[lane] = array.base + (row * (columns + change.pad) + column) * wide +
                        (change.element_bytes || change.stride ? 0 : inside % element);
  }
  return out;
}

}  // namespace ridge::view
