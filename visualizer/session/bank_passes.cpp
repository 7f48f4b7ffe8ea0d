#include "visualizer/session/bank_passes.h"

#include <algorithm>

#include "warp_model/access.h"

namespace ridge::view {

BankPasses bank_passes(const std::array<uint64_t, 32>& offsets, uint32_t mask, uint32_t bytes) {
  BankPasses all;
  const uint32_t together = warp_model::lanes_per_phase(bytes);
  for (uint32_t first = 0; first < 32; first += together) {
    std::vector<BankPass> passes;
    for (uint32_t lane = first; lane < first + together; ++lane) {
      if (!(mask >> lane & 1)) continue;
      const uint64_t last_word = (offsets[lane] + std::max(bytes, 1u) - 1) / 4;
      for (uint64_t word = offsets[lane] / 4; word <= last_word; ++word) {
        const size_t bank = word % 32;
        // The pass in which the bank gives this word already, else the first in which it is free.
        size_t pass = 0;
        while (pass < passes.size() && passes[pass].banks[bank].lanes &&
               passes[pass].banks[bank].word != word)
          ++pass;
        if (pass == passes.size()) passes.push_back({first / together, pass == 0, {}});
        passes[pass].banks[bank].lanes |= uint32_t{1} << lane;
        passes[pass].banks[bank].word = word;
      }
    }
    all.ideal += !passes.empty();
    all.passes.insert(all.passes.end(), passes.begin(), passes.end());
  }
  return all;
}

std::array<uint64_t, 32> laid_out(const trace::TraceRecord& record, uint64_t base, const WhatIf& what) {
  std::array<uint64_t, 32> offsets = record.addresses;
  const uint64_t element = std::max(1u, what.element_bytes), columns = std::max(1u, what.columns);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(record.mask >> lane & 1) || offsets[lane] < base) continue;
    const uint64_t inside = offsets[lane] - base, index = inside / element;
    const uint64_t row = index / columns;
    uint64_t column = index % columns;
    if (what.swizzle && (columns & (columns - 1)) == 0) {
      // Lanes that take several elements at once keep them side by side.
      const uint64_t unit = std::max<uint64_t>(1, record.bytes / element),
                     units = columns / std::min(columns, unit);
      column = (column / unit ^ row % units) * unit + column % unit;
    }
    offsets[lane] = base + (row * (columns + what.pad) + column) * element + inside % element;
  }
  return offsets;
}

}  // namespace ridge::view
