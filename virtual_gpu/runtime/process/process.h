// The global state of the CUDA runtime's interface: the devices, their memory, and the objects
// behind handles. Created by the first call that needs a device and never destroyed (programs call
// us from their destructors).
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/machine/texture/texture.h"
#include "virtual_gpu/observe/caches/device_caches.h"
#include "virtual_gpu/observe/races/devices/peer_shadow.h"
#include "virtual_gpu/observe/uninitialised/undefined_results.h"
#include "virtual_gpu/runtime/devices/allocations.h"
#include "virtual_gpu/runtime/devices/array.h"
#include "virtual_gpu/runtime/devices/handles.h"
#include "virtual_gpu/runtime/devices/host_guard.h"
#include "virtual_gpu/runtime/report/link_log.h"
#include "virtual_gpu/runtime/report/print_buffer.h"
#include "virtual_gpu/runtime/process/settings.h"
#include "virtual_gpu/runtime/work/stream.h"
#include "virtual_gpu/runtime/work/work_queue.h"

namespace ridge::runtime {

// A pool only stores its settings: memory is freed immediately.
struct MemoryPool {
  int device = 0;
  std::map<int, uint64_t> attributes;
  std::map<int, cudaMemAccessFlags> access;  // access flags by other device
  std::atomic<uint64_t> bytes_in_use{0}, most_bytes_in_use{0};
};

struct Device {
  int ordinal = 0;
  const warp_model::DeviceDescription* description = nullptr;
  std::shared_ptr<Stream> default_stream;
  std::shared_ptr<MemoryPool> default_pool, pool;
  std::atomic<uint64_t> bytes_in_use{0};
  std::atomic<uint64_t> heap_in_use{0};         // bytes allocated by malloc in kernels
  std::atomic<cudaError_t> fault{cudaSuccess};  // sticky until cudaDeviceReset
  std::atomic<cudaError_t> unreported_error{
      cudaSuccess};               // of stream work; returned once, by the next synchronisation
  std::atomic<bool> stop{false};  // stops running kernels
  PrintBuffer prints;
  std::atomic<uint64_t> peers{0};  // devices whose memory its kernels may access, one bit each
  std::atomic<uint64_t> pool_peers{0};  // the same, set by cudaMemPoolSetAccess
  std::map<cudaLimit, size_t> limits;
  cudaFuncCache cache_config = cudaFuncCachePreferNone;
  unsigned flags = 0;
  bool was_used = false;
  std::unique_ptr<observe::L2Cache> l2;  // created by the first counted launch
  std::mutex l2_mutex;                   // launches of several streams may end at the same time

  uint32_t arch() const { return description->compute_major * 10 + description->compute_minor; }
};

class Process {
 public:
  Process();

  Settings settings;
  machine::DeviceMemory memory;
  observe::UndefinedResults undefined_results;
  Allocations allocations;
  HostGuard host_guard;
  std::vector<std::unique_ptr<Device>> devices;
  WorkQueues work;
  HandleTable<Stream> streams;
  HandleTable<Event> events;
  HandleTable<Graph> graphs;
  HandleTable<GraphExec> graph_execs;
  HandleTable<MemoryPool> pools;
  HandleTable<Array> arrays;
  machine::TextureTable textures;

  // Index k within the k-th pair of cudaProfilerStart/Stop, 0 outside.
  std::atomic<uint32_t> profiler_range{0};
  std::atomic<uint32_t> profiler_starts{0};
  // Number of launches of the process, and of the current range.
  std::atomic<uint64_t> launches{0}, range_launches{0};
  // Copies and fills of the current range.
  std::atomic<uint64_t> copies{0}, copied_bytes{0}, fills{0}, filled_bytes{0};
  void note_copy(uint64_t bytes) {
    ++copies;
    copied_bytes += bytes;
  }
  void note_fill(uint64_t bytes) {
    ++fills;
    filled_bytes += bytes;
  }

  // With several devices: the races between them, and what the links between them carried.
  std::unique_ptr<observe::PeerShadow> peer_shadow;  // nullptr: not checked
  // True when kernels of some device may access the memory of another.
  bool peers_are_reachable() const;
  LinkLog links;

  // Set when memory is shared with another process.
  std::atomic<bool> other_processes_may_write{false};

  uint64_t next_id() { return ++last_id_; }

 private:
  std::atomic<uint64_t> last_id_{0};
};

Process& process();
// nullptr when there is no device with that number.
Device* device_at(int ordinal);
// The calling thread's device.
Device& current_device();
// False when there is no such device.
bool set_current_device(int ordinal);

// A child made by fork() cannot use what its parent began: every call returns
// cudaErrorInitializationError.
bool is_forked_child();
// True after main has returned.
bool is_ending();

// Waits for the work of all devices; called before code is unloaded.
void finish_work_of_all();

// The limit that was set, or the default of NVIDIA's runtime.
size_t limit_of(const Device& device, cudaLimit limit);

// Allocates on `device` and stores the address; returns cudaErrorMemoryAllocation when the memory
// is exhausted.
cudaError_t allocate(Device& device, uint64_t bytes, MemoryKind kind, const char* origin, uint64_t& address,
                     unsigned flags = 0, MemoryPool* pool = nullptr);
// Frees the block that begins at `address`; cudaErrorInvalidValue when there is none of these kinds
// (freed twice, never allocated). `by`, `at`: the freeing function and its call in the program, for
// messages.
cudaError_t release(uint64_t address, std::initializer_list<MemoryKind> kinds, const char* by = "the runtime",
                    machine::HostSite at = {});
// Waits for the device's work, frees everything, and restores its initial state.
void reset(Device& device);

}  // namespace ridge::runtime
