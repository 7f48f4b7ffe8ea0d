// Everything the CUDA runtime's interface makes global: the devices, their memory and the objects handed out.
// Made at the first call that needs a device, never destroyed (programs call us from their own destructors).
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
#include "virtual_gpu/runtime/devices/allocations.h"
#include "virtual_gpu/runtime/devices/array.h"
#include "virtual_gpu/runtime/devices/handles.h"
#include "virtual_gpu/runtime/devices/host_guard.h"
#include "virtual_gpu/runtime/report/print_buffer.h"
#include "virtual_gpu/runtime/process/settings.h"
#include "virtual_gpu/runtime/work/stream.h"
#include "virtual_gpu/runtime/work/work_queue.h"

namespace ridge::runtime {

// A pool only keeps its settings: memory is given back at once.
struct MemoryPool {
  int device = 0;
  std::map<int, uint64_t> attributes;
  std::map<int, cudaMemAccessFlags> access;  // by other device, as set
  std::atomic<uint64_t> bytes_in_use{0}, most_bytes_in_use{0};
};

struct Device {
  int ordinal = 0;
  const warp_model::DeviceDescription* description = nullptr;
  std::shared_ptr<Stream> default_stream;
  std::shared_ptr<MemoryPool> default_pool, pool;
  std::atomic<uint64_t> bytes_in_use{0};
  std::atomic<uint64_t> heap_in_use{0};         // malloc in kernels
  std::atomic<cudaError_t> fault{cudaSuccess};  // sticky until cudaDeviceReset
  std::atomic<cudaError_t> unreported_error{
      cudaSuccess};               // of work in a stream; told once, by the next synchronisation
  std::atomic<bool> stop{false};  // ends the kernels that run
  PrintBuffer prints;
  std::atomic<uint64_t> peers{0};  // devices whose memory its kernels may reach, a bit each
  std::atomic<uint64_t> pool_peers{0};  // the same by cudaMemPoolSetAccess
  std::map<cudaLimit, size_t> limits;
  cudaFuncCache cache_config = cudaFuncCachePreferNone;
  unsigned flags = 0;
  bool was_used = false;
  std::unique_ptr<observe::L2Cache> l2;  // made by the first launch that is counted
  std::mutex l2_mutex;                   // launches of several streams end at once

  uint32_t arch() const { return description->compute_major * 10 + description->compute_minor; }
};

class Process {
 public:
  Process();

  Settings settings;
  machine::DeviceMemory memory;
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

  // cudaProfilerStart/Stop: k inside the k-th pair, 0 outside.
  std::atomic<uint32_t> profiler_range{0};
  std::atomic<uint32_t> profiler_starts{0};
  // Launches of the process so far, and those of the present range.
  std::atomic<uint64_t> launches{0}, range_launches{0};
  // Copies and fills of the present range.
  std::atomic<uint64_t> copies{0}, copied_bytes{0}, fills{0}, filled_bytes{0};
  void note_copy(uint64_t bytes) {
    ++copies;
    copied_bytes += bytes;
  }
  void note_fill(uint64_t bytes) {
    ++fills;
    filled_bytes += bytes;
  }

  // Set once memory is shared with another process.
  std::atomic<bool> other_processes_may_write{false};

  uint64_t next_id() { return ++last_id_; }

 private:
  std::atomic<uint64_t> last_id_{0};
};

Process& process();
// nullptr when there is none of that number.
Device* device_at(int ordinal);
// The calling thread's device.
Device& current_device();
// False when there is no such device.
bool set_current_device(int ordinal);

// A child made by fork() cannot use what its parent began: every call returns cudaErrorInitializationError.
bool is_forked_child();
// After main has returned.
bool is_ending();

// Waits for the work of all devices, if there is any: before code goes away.
void finish_work_of_all();

// As set, or what NVIDIA's runtime begins with.
size_t limit_of(const Device& device, cudaLimit limit);

// Allocates on `device` and writes the address; cudaErrorMemoryAllocation when its memory is used up.
cudaError_t allocate(Device& device, uint64_t bytes, MemoryKind kind, const char* origin, uint64_t& address,
                     unsigned flags = 0, MemoryPool* pool = nullptr);
// Frees what begins at `address`; cudaErrorInvalidValue when nothing of these kinds does (freed twice, never
// allocated). `by`, `at`: the function that frees it, and where the program called it, for messages.
cudaError_t release(uint64_t address, std::initializer_list<MemoryKind> kinds, const char* by = "the runtime",
                    machine::HostSite at = {});
// Frees everything of one device and makes it as new, once its work is done.
void reset(Device& device);

}  // namespace ridge::runtime
