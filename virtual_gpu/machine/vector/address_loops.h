// How 32 addresses lie, found in one pass. Compiled once an instruction set, like the lane operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "virtual_gpu/machine/observer.h"

namespace ridge::machine {

struct AddressSummary {
  AccessShape shape = AccessShape::uniform;
  uint64_t base = 0;     // uniform, strided: of lane 0, active or not
  int64_t stride = 0;
  uint64_t lowest = 0, highest = 0;  // of the active lanes
  uint64_t bits = 0;     // all active addresses or'ed: its low bits say whether all are aligned
};

struct AddressLoops {
  // Adds `offset` to a row of 64- or 32-bit addresses (which wrap as such) and classifies the active lanes. `out` gets
  // the 32 addresses when they are scattered.
  AddressSummary (*summarize64)(const void* row, int64_t offset, uint32_t mask, uint64_t* out);
  AddressSummary (*summarize32)(const void* row, int64_t offset, uint32_t mask, uint64_t* out);
  // 32 loads or stores of 4 or 8 bytes at scattered host addresses, all lanes active.
  void (*gather32)(const uint64_t* addresses, void* row);
  void (*gather64)(const uint64_t* addresses, void* row);
};

const AddressLoops& address_loops();

}  // namespace ridge::machine
