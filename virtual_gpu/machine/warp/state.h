// The state of a running block: sufficient to suspend it at any instruction and to continue later.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "virtual_gpu/machine/copy_engine/bulk_copy.h"
#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/machine/program/micro_op.h"

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
  uint32_t call_pc = 0;  // position of the call that created it
  uint32_t depth = 0;
  uint32_t local_base = 0, local_top = 0;  // byte offsets in the thread's local memory
  uint32_t lanes = 0;                      // that have not returned
};

enum class Wait : uint8_t { none, block_barrier, warp_sync, cluster_barrier, warpgroup };

// Lanes of a warp at the same instruction, which execute together.
struct Split {
  Frame* frame = nullptr;
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t penalty = 0;  // slices yielded so that other splits of the warp run first
  Wait wait = Wait::none;
  uint8_t barrier = 0;
  bool sync_passed = false;  // all lanes that the *.sync at `pc` names have arrived
};

// A cp.async whose bytes have not been written: they were read when it was issued, and are written
// at the wait.
struct PendingCopy {
  PendingCopy() {}  // avoids clearing 800 bytes each
  uint32_t mask = 0;
  uint32_t group = 0;
  uint32_t instruction = 0;
  uint32_t bytes = 0;
  uint64_t serial = 0;   // number in the warp
  // AccessCache::pattern of the destinations of all lanes in `mask`; 0: unknown.
  uint64_t pattern = 0;
  // All lanes, and each writes where the one before it ends; the first at `row`.
  bool is_row = false;
  uint64_t row = 0;
  alignas(64) std::array<std::byte, 16 * kLanes> data;  // `bytes` per lane, one after the other
  alignas(64) std::array<uint64_t, kLanes> scattered;   // destinations, unless is_row

  uint64_t destination(size_t lane) const { return is_row ? row + lane * bytes : scattered[lane]; }

  std::byte* of(size_t lane) { return data.data() + lane * bytes; }
  const std::byte* of(size_t lane) const { return data.data() + lane * bytes; }
};

// A cp.async.mbarrier.arrive: it takes effect when the lane's earlier copies are complete.
struct PendingArrival {
  uint32_t lane = 0;
  uint32_t mbarrier = 0;  // offset in the block's shared memory
  uint32_t instruction = 0;
  uint64_t copies_before = 0;  // the copies with a smaller serial
};

// A lane's mbarrier wait for a phase that was not complete, for messages.
struct MbarrierWait {
  uint32_t instruction = 0;
  uint32_t rank = 0;  // of the block that owns the shared memory
  uint32_t offset = 0;
  bool phase_parity = false;  // the parity that it waits for
};

// A wait that passed: the phase that these lanes know to be complete.
struct PassedWait {
  uint32_t rank = 0, offset = 0;
  uint64_t phase = 0;
  uint32_t lanes = 0;
  uint64_t serial = 0;  // number of the wait in the warp
  uint64_t steps = 0;   // barriers and MMAs up to then
};
// A wait for a phase for which the same lanes had already waited, although the mbarrier or the warp
// has advanced since: it passes immediately without waiting. That is not a fault itself, but the
// cause of many.
struct RepeatedWait {
  uint32_t instruction = 0, lane = 0;
  uint32_t rank = 0, offset = 0;
  bool parity = false;
};

struct WarpgroupQueue;  // wgmma in flight: matrix/warpgroup_queue.h

struct ExitPlace {
  uint32_t mask, pc;
};

inline constexpr uint32_t kNoGroupWait = ~0u;

struct Warp {
  uint32_t index = 0;       // in the block
  uint32_t first_mask = 0;  // lanes that exist
  uint32_t live = 0;        // lanes that have not exited
  uint32_t split_count = 0;
  std::array<Split, kLanes> splits;
  std::vector<std::unique_ptr<Frame>> frames;                    // active
  std::vector<std::vector<std::unique_ptr<Frame>>> free_frames;  // by function
  std::vector<std::byte> local;  // [bytes / 4][lane][4]: one row per word, like registers
  std::vector<PendingCopy> copies;
  std::array<uint32_t, kLanes> committed_groups{};  // committed cp.async groups, by lane
  std::shared_ptr<WarpgroupQueue> warpgroup;        // created by the first wgmma
  std::vector<ExitPlace> exits;                     // where lanes ended, for messages
  bool is_stepped = false;  // an observer sees each instruction before it is executed
  // The committed groups that are known to be complete.
  std::array<uint32_t, kLanes> waited_groups{};
  std::vector<PendingArrival> arrivals;
  uint64_t next_copy = 0;         // serial
  uint64_t syncs = 0;             // *.sync operations passed, for observers
  uint64_t took_work_in = 0;      // the newest time slice in which it took work, see grid/time_slices.h
  uint32_t cluster_pc = 0;        // where the first of them arrived
  uint32_t cluster_arrived = 0;   // lanes in the current, incomplete phase of the cluster barrier
  // Lanes that have arrived at the cluster barrier and not waited yet.
  uint32_t cluster_open = 0;
  uint32_t mbarrier_waiting = 0;  // lanes whose latest mbarrier wait failed
  std::array<MbarrierWait, kLanes> mbarrier_waits;
  uint32_t last_group_wait = kNoGroupWait;    // N of the newest cp.async.wait_group N
  uint32_t last_group_wait_pc = 0;
  uint64_t waits_passed = 0;                  // at mbarriers
  std::vector<PassedWait> passed_waits;       // by mbarrier
  std::optional<RepeatedWait> repeated_wait;  // the first
};

struct Barrier {
  uint32_t arrived_threads = 0;
  uint32_t expected = 0;  // 0: all threads of the block
  uint32_t count = 0;     // as given by the arrived threads; 0: none
  uint64_t phase = 0;     // number of completions
  uint32_t result_and = 1, result_or = 0, result_count = 0;
  std::array<uint32_t, kMaxWarps> arrived{};   // lanes, by warp
  std::array<uint32_t, kMaxWarps> first_pc{};  // where the warp's first lane arrived
  // Every other member changes with the first arrival of a phase.
  bool was_used() const { return phase != 0 || arrived_threads != 0; }
};

// The number of completed phases of the mbarrier at an offset; its bytes contain only the parity.
// Continues counting when the object is initialised again, so that phase numbers are unique.
struct MbarrierPhase {
  uint32_t offset = 0;
  uint64_t phase = 0;
  uint64_t first = 0;  // number of its first phase since it was initialised
  bool initialised = false;  // by mbarrier.init, in this block
  uint32_t init_pc = 0;
  uint64_t waited = 0;   // the newest phase whose begin a wait has seen
  bool overrun = false;  // two phases completed, and no wait saw the first of them end
  int64_t announced = 0;        // bytes announced in the current phase
  int64_t announced_before = 0;  // and the phase before it
  uint32_t late_bytes = 0;  // of the first copy that landed when the phase it was started in was over
  int64_t announced_for_late = 0;
};

// A lane's st.async or red.async in flight to this block's shared memory.
struct PendingStore {
  uint32_t op = 0;  // in Program::async_stores
  uint32_t offset = 0;
  uint32_t mbarrier = 0;
  uint64_t from_block = 0;
  uint32_t from_warp = 0, lane = 0, instruction = 0;
  std::array<std::byte, 16> data;
};

struct Cluster;

struct Block {
  uint64_t linear = 0;
  Cluster* cluster = nullptr;
  uint32_t rank = 0;  // in the cluster
  Dim3 index;
  uint32_t live_threads = 0, exited_threads = 0;
  std::vector<Warp> warps;
  AlignedBytes shared;
  std::array<Barrier, kBarriers> barriers;
  BulkQueue bulk;
  uint32_t slices = 0;                 // scheduler: how often it was suspended
  std::vector<MbarrierPhase> mbarrier_phases;
  std::vector<PendingStore> stores;
  bool has_async_arrivals = false;  // false: the `arrivals` of every warp are empty
};

// Blocks that run on one host thread, begin together, and can access each other's shared memory; a
// launch without clusters has clusters of one block.
struct Cluster {
  // Order in which clusters are assigned and faults are ranked.
  uint64_t linear = 0;
  std::vector<std::unique_ptr<Block>> blocks;  // by rank
  uint32_t live_threads = 0;
  uint32_t arrived_threads = 0;  // at the cluster barrier, of those that have not exited
  uint64_t barrier_phase = 0;    // number of completions
  bool waits = false, is_stopped = false;  // of its last time slice, see grid/time_slices.h
};

}  // namespace ridge::machine
