// Data shared by the units of one executor: the current position, and the events that they report.
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

// Data shared by all executors of one launch.
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
  // Clusters after a failed one are abandoned, those before it continue, so that the first fault is
  // reported.
  std::atomic<uint64_t> fault_cluster{~0ull};
  std::atomic<uint64_t> finished_blocks{0};
  std::atomic<int64_t> last_finished_ns{0};  // end of the latest finished block, since `begin`
  std::atomic<int64_t> last_progress_ns{
      0};  // last time at which a thread of the grid changed something, since `begin`
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
  finished,  // all threads of the block have exited
  waiting,   // all its threads only poll: other blocks run first
  stopped,   // the launch is being stopped
};

// The fault for an observer that threw, or that found something after the grid had ended.
Fault late_fault(const Launch& launch, uint64_t block, const ObservedFault& seen);

// The place that a fault is about.
struct Culprit {
  const Block* block;
  uint32_t warp;
  uint32_t lane;
  uint32_t pc;
};

// Whether a split continues with the next instruction or the scheduler selects again.
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
  Block* owner = nullptr;  // owner of the accessed shared memory: nearly always `block`
  Warp* warp = nullptr;
  Frame* frame = nullptr;
  std::byte* registers = nullptr;
  uint32_t pc = 0;

  int64_t slice_budget = 0;  // back-edges left before the next warp runs
  int64_t split_budget = 0;  // ... before the next split of the warp runs
  bool rotating = false;     // some split has a penalty: look at every leader
  bool polled = false;  // since the last back-edge, a value was read that other threads must change
  bool polled_in_slice = false;
  bool yield_now = false;
  // In a time slice of a block (grid/time_slices.h): it has read what other blocks may have set;
  // others wait for such a value; it must not continue before they have looked; in the end it only
  // polled.
  bool has_looked = false, others_wait = false, slice_is_over = false, ends_waiting = false;
  bool one_signal = false, has_signalled = false;  // the slice ends before its second signal
  uint64_t slice = 0;            // number of this host thread's time slice, from 1
  bool must_share_work = false;  // the slice ends before a warp takes work a second time
  bool shares_work = false;      // it has ended for that reason
  bool made_progress = false;   // in this slice something visible to other threads has changed
  uint32_t rank_beyond = 0;     // the last rank given to mapa that has no address
  bool step_requested = false;  // an observer has just requested single-stepping of the warp

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
  // For each lane, the groups [first, last) of cp.async were committed (release) or completed
  // (acquire).
  void notify_groups(uint32_t mask, const std::array<uint32_t, kLanes>& first,
                     const std::array<uint32_t, kLanes>& last, bool release);
  void notify_groups(uint32_t mask, uint32_t first, uint32_t last, bool release);  // all alike
};

}  // namespace ridge::machine
