// What the units of one executor share: where execution is, and what they report.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/vector/address_loops.h"
#include "virtual_gpu/machine/warp/state.h"

namespace ridge::machine {

// What all executors of one launch share.
struct Launch {
  const Program& program;
  const LaunchConfig& config;
  DeviceMemory& memory;
  uint32_t threads = 0, warps = 0, shared_bytes = 0;
  uint64_t blocks = 0;
  Dim3 cluster{};  // blocks in each direction
  uint32_t cluster_blocks = 1;
  bool is_explicit_cluster = false;
  std::atomic<bool> stop{false};
  // Clusters after one that failed are given up, those before it run on, so that the first fault is the one
  // reported.
  std::atomic<uint64_t> fault_cluster{~0ull};
  std::atomic<uint64_t> finished_blocks{0};
  std::atomic<int64_t> last_finished_ns{0};  // when the newest of them ended, since `begin`
  std::atomic<int64_t> last_progress_ns{
      0};  // when some thread of the grid last changed something, since `begin`
  std::mutex print_mutex{};
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

  int64_t elapsed_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                                begin)
        .count();
  }
};

// Thrown to leave the interpreter; becomes LaunchOutcome::fault.
struct LaunchFault {
  Fault fault;
};

enum class SliceOutcome : uint8_t {
  finished,  // every thread of the block has exited
  waiting,   // all it does is poll: other blocks run first
  stopped,   // the launch is being ended
};

// The fault of an observer that threw, or found something when the grid had ended.
Fault late_fault(const Launch& launch, uint64_t block, const ObservedFault& seen);

// The place a fault is about.
struct Culprit {
  const Block* block;
  uint32_t warp;
  uint32_t lane;
  uint32_t pc;
};

// Whether a split goes on with the next instruction or the scheduler chooses anew.
enum class Next : uint8_t { proceed, reschedule };

struct ExecutionContext {
  ExecutionContext(Launch& of, Observer* seen_by)
      : launch(of),
        program(of.program),
        observer(seen_by),
        wants_values(seen_by != nullptr && seen_by->wants_values()),
        loops(address_loops()) {}

  Launch& launch;
  const Program& program;
  Observer* observer;
  bool wants_values;
  const AddressLoops& loops;

  // The place of execution; valid inside a slice.
  Block* block = nullptr;
  Block* owner = nullptr;  // whose shared memory is accessed: nearly always `block`
  Warp* warp = nullptr;
  Frame* frame = nullptr;
  std::byte* registers = nullptr;
  uint32_t pc = 0;

  int64_t slice_budget = 0;  // back-edges left before the next warp runs
  int64_t split_budget = 0;  // ... before the next split of the warp runs
  bool rotating = false;     // some split has a penalty: look at every leader
  bool polled = false;  // since the last back-edge, something other threads must answer was read
  bool polled_in_slice = false;
  bool yield_now = false;
  bool made_progress = false;   // in this slice, something that other threads can see has changed
  uint32_t rank_beyond = 0;     // the last one that mapa was given for which there is no address
  bool step_requested = false;  // an observer has just asked to single-step the warp

  template <class T>
  T* row(RowOffset offset) const {
    return reinterpret_cast<T*>(registers + offset);
  }
  Culprit culprit(int lane) const;
  [[noreturn]] void fault(Fault::Kind kind, const Culprit& who, const std::string& what,
                          const std::string& advice, FaultCause cause = {}) const;
  // The name of the barrier or *.sync operation at `at`, for messages.
  std::string barrier_name(uint32_t at) const;
  // Adds a split for the lanes of `mask`, which continue at `at`.
  Split& add_split(const Split& like, uint32_t at, uint32_t mask);
  // Lets the other splits of the warp, and then the other warps, run first.
  void rotate(Split& split);
  // Lane by lane, the groups [first, last) of cp.async were closed (release) or have landed (acquire).
  void notify_groups(uint32_t mask, const std::array<uint32_t, kLanes>& first,
                     const std::array<uint32_t, kLanes>& last, bool release);
};

}  // namespace ridge::machine
