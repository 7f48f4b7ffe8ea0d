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
  uint32_t bytes = 4;  // a lane
};
LaidOut laid_out(const trace::TraceRecord& record, const ArrayLayout& array, const LayoutChange& change);

}  // namespace ridge::view
