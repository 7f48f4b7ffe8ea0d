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
  std::vector<std::byte> parameters;  // laid out by KernelInfo::parameters
  bool cooperative = false;           // every block is resident at once; grid sync works
  uint64_t grid_workspace =
      0;  // cooperative: address of 256 zeroed bytes for the grid's barrier (%envreg1:%envreg2)
  unsigned host_threads = 0;       // 0 = all cores
  unsigned multiprocessors = 132;  // %nsmid, and which SM a block is said to run on
  double time_limit_s = 0;         // 0 = none; past it the launch ends with Fault::time_limit
  double deadlock_after_s =
      2;  // threads that only poll for so long while nothing changes are a Fault::deadlock
  // PendingAsync then: true when somebody outside the grid (the host, another stream, another device) may still
  // change what they wait for. Empty: nobody can.
  std::function<bool()> may_be_helped;
  // Several devices: whose memory this is (of DeviceMemory's arenas; what malloc in a kernel uses), and which
  // arenas the device may reach, a bit each.
  unsigned arena = 0;
  uint64_t reachable_arenas = ~uint64_t{0};
  const warp_model::DeviceDescription* device = nullptr;  // limits; nullptr: the default device's
  // malloc in kernels gives out this much (cudaLimitMallocHeapSize) as long as `heap_in_use` counts.
  uint64_t heap_bytes = ~uint64_t{0};
  std::atomic<uint64_t>* heap_in_use = nullptr;
  ChildLaunches* children = nullptr;       // nullptr: this kernel launches none
  const TextureTable* textures = nullptr;  // what texture and surface handles in registers mean
  bool bounds_checks = true;               // false: any address in device memory's reserved range will do
  bool barrier_checks = true;              // false: a *_sync goes on with the lanes that have come
  bool exited_threads_pass_barriers =
      false;  // true: as the hardware does; false: __syncthreads after an early return is a Fault
  const std::atomic<bool>* stop =
      nullptr;  // set by another thread to end the launch (Fault::time_limit, "stopped")
  std::function<void(std::string_view)>
      print;  // printf output, whole calls at a time, in no fixed order of blocks
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
  std::string advice = {};       // the part of `message` behind "try:"
  FaultCause cause = {};
};

struct LaunchOutcome {
  std::optional<Fault> fault;  // empty: the grid ran to its end
  uint64_t warp_instructions = 0;
};

LaunchOutcome run(const Program& program, const LaunchConfig& config, DeviceMemory& memory,
                  ObserverFactory* observers);

}  // namespace ridge::machine
