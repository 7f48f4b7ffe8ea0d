// Determines from a kernel's text which arrays it can write: the address of every store is traced
// back to the kernel's parameters. A launch then knows in advance which arrays do not change, and
// reads of those need no checks.
#pragma once

#include <cstdint>

#include "virtual_gpu/machine/program/micro_op.h"

namespace ridge::machine {

// Sets of roots: bit k for the value of parameter k (at most 62), and two more.
struct PointerRoots {
  static constexpr uint64_t kVariables = 1ull << 62;  // __device__ variables
  // Pointers read from memory, composed of parts, or of unknown origin.
  static constexpr uint64_t kUnknown = 1ull << 63;
  uint64_t read = 0, written = 0;              // by ordinary accesses
  uint64_t written_strongly = 0;               // by atomics and volatile stores
  bool orders = false;                         // it has fences, or accesses with acquire or release
};

// The first call for a program is slow.
const PointerRoots& pointer_roots(const Program& program);
// The roots of the global address of one instruction of the kernel; kUnknown when they are unknown.
uint64_t address_roots(const Program& program, uint32_t instruction);

}  // namespace ridge::machine
