// The loops of a memory access: classifying 32 addresses, and the transfers that are more than one
// copy. Compiled once per instruction set, like the lane operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "virtual_gpu/machine/observer.h"

namespace ridge::machine {

struct AddressSummary {
  AccessShape shape;
  uint64_t base;  // uniform, strided: of lane 0, active or not
  int64_t stride;
  uint64_t lowest, highest;  // of the active lanes
  uint64_t bits;             // OR of all active addresses: all are aligned when its low bits are 0
};

struct AddressLoops {
  // Adds `offset` to a row of 64- or 32-bit addresses (with wrap-around) and classifies the active
  // lanes. `out` receives the 32 addresses when they are scattered.
  using Summarize = void (*)(const void* row, int64_t offset, uint32_t mask, AddressSummary& summary,
                             uint64_t* out);
  Summarize summarize64, summarize32;
  // 32 loads of 4 or 8 bytes at `origin` + address, all lanes active.
  void (*gather32)(const uint64_t* addresses, uint64_t origin, void* row);
  void (*gather64)(const uint64_t* addresses, uint64_t origin, void* row);
  // Copies 32 adjacent vectors of 2 or 4 four-byte words to as many rows, and back.
  void (*split2)(const void* memory, void* const* rows);
  void (*split4)(const void* memory, void* const* rows);
  void (*join2)(void* memory, const void* const* rows);
  void (*join4)(void* memory, const void* const* rows);
  // Asks the host to bring the active lanes' data into its caches, without waiting.
  void (*fetch_to_read)(const uint64_t* addresses, uint32_t mask);
  void (*fetch_to_write)(const uint64_t* addresses, uint32_t mask);
};

const AddressLoops& address_loops();

}  // namespace ridge::machine
