// What one SASS instruction of sm_90 is, as far as counting needs it: its class, the bytes per lane, and
// where it branches to. SASS is what ptxas makes of PTX and what a GPU executes; NVIDIA does not document its
// encoding. The numbers here were read off listings of nvdisasm (CUDA 13.0) for some 200 opcodes: the low 9
// bits of an instruction's 16 bytes are the operation, the next 3 the form of its operands.
#pragma once

#include <cstdint>
#include <string_view>

namespace ridge::warp_model {

enum class SassClass : uint8_t {
  fp32,
  fp64,
  fp16,
  integer,
  conversion,
  special,  // MUFU: reciprocals, roots, sines, logarithms
  tensor,
  move,
  uniform,  // the uniform datapath: one value for the warp
  warp,     // shuffles, votes, matches, warp reductions
  global_load,
  global_store,
  global_atomic,
  global_reduction,  // atomics without an answer
  shared_load,
  shared_store,
  shared_atomic,
  matrix_load,   // ldmatrix
  matrix_store,  // stmatrix
  local_load,
  local_store,
  generic_load,
  generic_store,
  generic_atomic,
  constant_load,
  async_copy,  // cp.async
  bulk_copy,   // TMA
  texture,
  control,
  barrier,  // of the block
  sync,     // fences, mbarriers, waits
  other,
};
inline constexpr uint32_t kSassClasses = static_cast<uint32_t>(SassClass::other) + 1;
// "fp32", "global load", "matrix load", ...
std::string_view name(SassClass sass_class);

enum class SassFlow : uint8_t {
  straight,
  branch,    // to `target`, or on
  converge,  // BSSY: the lanes that part after it meet again before `target`
  meet,      // BSYNC
  exit,
  call,   // comes back
  other,  // computed, or of a kind we do not follow
};

inline constexpr uint32_t kSassBytes = 16;

struct SassInstruction {
  uint32_t address = 0;   // in its function
  uint32_t ptx_line = 0;  // 0: the line table says nothing
  SassClass sass_class = SassClass::other;
  SassFlow flow = SassFlow::straight;
  uint8_t lane_bytes = 0;  // memory instructions: 1 to 16
  int32_t offset = 0;      // of local memory: what is added to the address register
  bool guarded = false;    // @P0 and the like: issued for all, done by some
  bool padding = false;    // NOP
  bool asks_for_space = false;  // QSPC: which memory a generic address lies in
  uint32_t target = 0;     // calls: 0 where the function is not known here
};

// The two halves of the instruction at `address`.
SassInstruction decode_sass(uint64_t low, uint64_t high, uint32_t address);

}  // namespace ridge::warp_model
