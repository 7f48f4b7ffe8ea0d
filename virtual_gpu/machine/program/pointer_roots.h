// Which arrays a kernel can write, seen from its text: the address of every store is followed back to the
// kernel's parameters. So a launch knows before it begins which arrays stay as they are, and reads of those
// need no watching.
#pragma once

#include <cstdint>

#include "virtual_gpu/machine/program/micro_op.h"

namespace ridge::machine {

// Sets of roots: bit k for what parameter k holds (62 at most), and two more.
struct PointerRoots {
  static constexpr uint64_t kVariables = 1ull << 62;  // __device__ variables
  static constexpr uint64_t kUnknown = 1ull
                                       << 63;  // pointers read from memory, made of parts, of unknown origin
  uint64_t read = 0, written = 0;              // by ordinary accesses
  uint64_t written_strongly = 0;               // by atomics and volatile stores
  bool orders = false;                         // it has fences, or accesses with acquire or release
};

// The first call for a program takes long.
const PointerRoots& pointer_roots(const Program& program);
// What the global address of one instruction of the kernel is made from; kUnknown where that is not known.
uint64_t address_roots(const Program& program, uint32_t instruction);

}  // namespace ridge::machine
