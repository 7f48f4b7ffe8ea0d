// The text of a fault: what happened with the numbers, then what to try.
#pragma once

#include <optional>
#include <string>

#include "virtual_gpu/machine/grid/launch.h"

namespace ridge::machine {

// In `what`, a placeholder for "thread (5,0,0) of block (1,0,0)"; a sentence without it gets the
// thread at its end.
inline constexpr char kPlaceMark = '\x01';

struct FaultText {
  std::string what, advice;
  FaultCause cause = {};
};

struct BadAccess {
  AccessKind kind;
  AccessSpace space;
  uint64_t address;  // global: device address; otherwise an offset
  uint32_t bytes;
  uint64_t limit;  // shared, local, param: size of the memory in bytes
  std::optional<Allocation> nearest;
  bool is_bulk = false;  // in bytes, without elements
  int parameter = -1;    // index of the kernel's parameter that points into `nearest`; -1: unknown
  static constexpr uint32_t kOwnBlock = ~0u;
  uint32_t peer_rank = kOwnBlock;  // shared: rank of the block in the cluster that owns it
  // An access to memory of another device without access rights: the two devices.
  std::optional<unsigned> unreachable_from = {};
  unsigned unreachable_owner = 0;
  // Shared memory, when the intended array is certain: `shared_offset` bytes from its begin.
  std::string shared_array = {}, hits = {};
  uint64_t shared_array_bytes = 0;
  int64_t shared_offset = 0;
};

FaultText out_of_bounds_text(const BadAccess& bad);
FaultText misaligned_text(const BadAccess& bad);

// The instruction with the long register lists of matrix instructions shortened: "{%f1, ...,
// %f64}".
std::string instruction_text(std::string_view text);
std::string dim_text(const Dim3& d);  // "(3,0,0)"
std::string place_text(
    const InstructionSource&
        source);  // "saxpy.cu:12", "ring.h:3 (called from a.cu:9)", "PTX line 40"
Dim3 thread_index(const Dim3& block, uint32_t linear);
// "Out of bounds: thread (232,0,0) of block (3,0,0) ..." + where + what to try.
std::string full_message(const Program& program, uint32_t pc, const Dim3& block, const Dim3& thread,
                         const std::string& what, const std::string& advice);

}  // namespace ridge::machine
