// How the 32 banks serve one access of shared memory: which lanes in which pass. A phase is as many lanes as
// the banks serve at once; in it each bank gives one word a pass, to all lanes that ask for it.
#pragma once

#include <array>
#include <vector>

#include "trace/access_trace.h"

namespace ridge::view {

struct BankCell {
  uint32_t lanes = 0;  // served here; 0: the bank idles
  uint64_t word = 0;   // offset / 4
};
struct BankPass {
  uint32_t phase = 0;
  bool needed = true;  // false: only because two words lie in one bank
  std::array<BankCell, 32> banks{};
};

struct BankPasses {
  std::vector<BankPass> passes;
  uint32_t ideal = 0;
};
BankPasses bank_passes(const std::array<uint64_t, 32>& offsets, uint32_t mask, uint32_t bytes_per_lane);

// "What if": the same lanes with their elements laid out otherwise. Rows of `columns` elements of
// `element_bytes`.
struct WhatIf {
  uint32_t pad = 0;      // elements added to a row
  bool swizzle = false;  // column ^ row, within the row
  uint32_t columns = 32;
  uint32_t element_bytes = 4;
  bool changes() const { return pad != 0 || swizzle; }
};
std::array<uint64_t, 32> laid_out(const trace::TraceRecord& record, uint64_t base, const WhatIf& what);

}  // namespace ridge::view
