// The properties of one SASS instruction of sm_90 that the counts need: its class, the bytes per
// lane, and its branch target. SASS is what ptxas makes of PTX and what a GPU executes; NVIDIA does
// not document its encoding. The numbers here were derived from nvdisasm listings (CUDA 13.0) of
// about 200 opcodes: the low 9 bits of an instruction's 16 bytes are the operation, the next 3 are
// the form of its operands. Where the scoreboards are: Jia, Maggioni, Staiger and Scarpazza,
// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (2018), chapter 2.
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
  uniform,  // the uniform datapath: one value per warp
  warp,     // shuffles, votes, matches, warp reductions
  global_load,
  global_store,
  global_atomic,
  global_reduction,  // atomics that return no value
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
  barrier,  // block barriers
  sync,     // fences, mbarriers, waits
  other,
};
inline constexpr uint32_t kSassClasses = static_cast<uint32_t>(SassClass::other) + 1;
// "fp32", "global load", "matrix load", ...
std::string_view name(SassClass sass_class);

enum class SassFlow : uint8_t {
  straight,
  branch,      // to `target` or to the next instruction
  converge,    // BSSY: lanes that diverge after it reconverge before `target`
  reconverge,  // BSYNC
  exit,
  call,   // returns
  other,  // computed targets and kinds that we do not follow
};

inline constexpr uint32_t kSassBytes = 16;
inline constexpr uint8_t kScoreboards = 6, kNoScoreboard = 7;

struct SassInstruction {
  uint32_t address = 0;   // relative to its function
  uint32_t ptx_line = 0;  // 0: not in the line table
  SassClass sass_class = SassClass::other;
  SassFlow flow = SassFlow::straight;
  uint8_t lane_bytes = 0;  // memory instructions: 1 to 16
  int32_t offset = 0;      // of local memory: the constant added to the address register
  // Has a predicate such as @P0: issued by all warps, executed by some lanes.
  bool guarded = false;
  bool padding = false;         // NOP
  bool asks_for_space = false;  // QSPC: queries the state space of a generic address
  // The scoreboard that the instruction sets until its result is there (kNoScoreboard: none), and
  // those that it waits for before it is issued, a bit each.
  uint8_t sets_scoreboard = kNoScoreboard, waits_for_scoreboards = 0;
  uint32_t target = 0;  // calls: 0 when the function is not known here
};

// `low` and `high` are the two halves of the instruction at `address`.
SassInstruction decode_sass(uint64_t low, uint64_t high, uint32_t address);

}  // namespace ridge::warp_model
