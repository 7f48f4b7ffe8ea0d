// Everything a running block is: enough to set it aside at any instruction and go on later.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "virtual_gpu/machine/bulk_copy.h"
#include "virtual_gpu/machine/launch.h"
#include "virtual_gpu/machine/micro_op.h"
#include "virtual_gpu/machine/poison.h"

namespace ridge::machine {

inline constexpr uint32_t kBarriers = 16;
inline constexpr uint32_t kMaxWarps = 32;

struct FreeDeleter {
  void operator()(std::byte* p) const { std::free(p); }
};
using AlignedBytes = std::unique_ptr<std::byte[], FreeDeleter>;
AlignedBytes allocate_aligned(size_t bytes);  // 64-byte aligned

// One activation of a function, for the lanes that called it together.
struct Frame {
  uint32_t function = 0;  // index in Program::functions
  AlignedBytes registers;
  Frame* caller = nullptr;
  uint32_t call_pc = 0;  // of the call that made it
  uint32_t depth = 0;
  uint32_t local_base = 0, local_top = 0;  // bytes of the thread's local memory
  uint32_t lanes = 0;                      // that have not returned
};

enum class Wait : uint8_t { none, block_barrier, warp_sync };

// Lanes of a warp that stand at the same instruction and go on together.
struct Split {
  Frame* frame = nullptr;
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t penalty = 0;  // turns given up to let the others of the warp go first
  Wait wait = Wait::none;
  uint8_t barrier = 0;
  bool sync_passed = false;  // every lane that the *.sync at `pc` names has come
};

// A cp.async whose bytes have not arrived: they were read when it was issued, and are written at the wait.
struct PendingCopy {
  uint32_t mask = 0;
  uint32_t group = 0;
  uint32_t instruction = 0;
  uint32_t bytes = 0;
  std::array<uint32_t, kLanes> destination;
  std::array<std::array<std::byte, 16>, kLanes> data;
};

struct ExitPlace {
  uint32_t mask, pc;
};

struct Warp {
  uint32_t index = 0;       // in the block
  uint32_t first_mask = 0;  // lanes that exist
  uint32_t live = 0;        // lanes that have not exited
  uint32_t split_count = 0;
  std::array<Split, kLanes> splits;
  std::vector<std::unique_ptr<Frame>> frames;                    // in use
  std::vector<std::vector<std::unique_ptr<Frame>>> free_frames;  // by function
  std::vector<std::byte> local;  // [bytes / 4][lane][4]: a row for each word, as registers are
  std::vector<PendingCopy> copies;
  std::array<uint32_t, kLanes> committed_groups{};  // cp.async groups closed, by lane
  std::vector<ExitPlace> exits;                     // where lanes ended, for messages
  Poison poison;  // registers with values that nobody wrote; nearly always none
};

struct Barrier {
  uint32_t arrived_threads = 0;
  uint32_t expected = 0;  // 0: all threads of the block
  uint32_t result_and = 1, result_or = 0, result_count = 0;
  std::array<uint32_t, kMaxWarps> arrived{};   // lanes, by warp
  std::array<uint32_t, kMaxWarps> first_pc{};  // where the warp's first lane arrived
};

struct Block {
  uint64_t linear = 0;
  Dim3 index;
  uint32_t live_threads = 0, exited_threads = 0;
  std::vector<Warp> warps;
  AlignedBytes shared;
  std::array<Barrier, kBarriers> barriers;
  BulkQueue bulk;
  uint32_t turns = 0;  // scheduler: how often it was set aside
};

}  // namespace ridge::machine
