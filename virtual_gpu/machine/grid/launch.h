// Runs one grid to its end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/machine/faults/fault_cause.h"
#include "virtual_gpu/machine/faults/other_launches.h"
#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/machine/program/program.h"
#include "warp_model/device.h"

namespace ridge::machine {

class ChildLaunches;
class TextureTable;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

struct LaunchConfig {
  Dim3 grid, block, cluster;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;  // layout: KernelInfo::parameters
  bool cooperative = false;           // all blocks are resident at once; grid sync works
  uint64_t grid_workspace =
      0;  // cooperative: address of 256 zeroed bytes for the grid's barrier (%envreg1:%envreg2)
  // Above 0: blocks begin in a drawn order, a block's time slice ends between two of its atomic or
  // volatile stores, and the next block is drawn (grid/time_slices.h). CUDA promises no order.
  uint64_t order_seed = 0;
  unsigned host_threads = 0;       // 0 = all cores
  unsigned multiprocessors = 132;  // %nsmid; also determines each block's %smid
  double time_limit_s = 0;         // 0 = none; a longer launch ends with Fault::time_limit
  double deadlock_after_s =
      2;  // threads that only poll for this long without a change are a Fault::deadlock
  // Asked before that fault whether something outside the grid (the host, another stream, another
  // device) may still release the threads. nullptr: nothing can.
  OutsideWatch* outside = nullptr;
  // With several devices: the arena of DeviceMemory for this device (used by malloc in kernels),
  // and the arenas that it may access, one bit each.
  unsigned arena = 0;
  uint64_t reachable_arenas = ~uint64_t{0};
  const warp_model::DeviceDescription* device = nullptr;  // limits; nullptr: the default device
  // Limit of malloc in kernels (cudaLimitMallocHeapSize); `heap_in_use` counts the allocated bytes.
  uint64_t heap_bytes = ~uint64_t{0};
  std::atomic<uint64_t>* heap_in_use = nullptr;
  ChildLaunches* children = nullptr;       // nullptr: this kernel launches no kernels
  const TextureTable* textures = nullptr;  // resolves texture and surface handles
  // False: any address in device memory's reserved range is valid.
  bool bounds_checks = true;
  // False: a *_sync continues with the lanes that have arrived.
  bool barrier_checks = true;
  bool exited_threads_pass_barriers =
      false;  // true: as in hardware; false: __syncthreads after an early return is a Fault
  // True: shared memory that copies still need when its block exits is reported.
  bool checks_copies_at_exit = false;
  const std::atomic<bool>* stop =
      nullptr;  // set by another thread to end the launch (Fault::time_limit, "stopped")
  std::function<void(std::string_view)>
      print;  // receives the output of complete printf calls, in no fixed order of blocks
};

// Why a launch ended early. `message` is complete: what, where, which thread, what to try next.
struct Fault {
  enum class Kind : uint8_t {
    out_of_bounds,
    misaligned,
    barrier,
    deadlock,
    time_limit,
    trap,
    assertion,
    unknown_instruction,
    invalid_launch,
    uninitialised,
    race,
    internal  // the virtual GPU failed
  };
  Kind kind;
  std::string message;
  std::string file;
  uint32_t line = 0, ptx_line = 0;
  Dim3 block, thread;            // the first thread concerned
  std::string called_from = {};  // as in InstructionSource
  std::string advice = {};       // the part of `message` after "try:"
  FaultCause cause = {};
};

// An error only if somebody reads the memory at `address` afterwards (ObserverFactory::deferred).
struct DeferredFault {
  Fault fault;
  uint64_t address = 0;
  std::string history;
};

struct LaunchOutcome {
  std::optional<Fault> fault;  // empty: the grid ran to its end
  uint64_t warp_instructions = 0;
  std::vector<DeferredFault> deferred = {};
};

LaunchOutcome run(const Program& program, const LaunchConfig& config, DeviceMemory& memory,
                  ObserverFactory* observers);

}  // namespace ridge::machine
