// Device memory: one reserved range of host addresses, so that a device pointer is a host pointer
// and a checked access is a plain load or store. Thread-safe; lookups take no lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "virtual_gpu/machine/program/host_site.h"
#include "virtual_gpu/machine/memory/written_map.h"

namespace ridge::machine {

// Describes a range of device memory for messages.
struct Allocation {
  uint64_t begin = 0;   // device address
  uint64_t bytes = 0;   // as requested
  uint32_t serial = 0;  // 1 for the first allocation of the process, ...
  std::string origin;   // "cudaMalloc", "__device__ float table[256]", ...
  bool freed = false;
  bool host_pinned = false;
  HostSite made_at = {};
  std::string freed_by = {};  // "cudaFree"
  HostSite freed_at = {};

  // "cudaMalloc at saxpy.cu:12"
  std::string origin_text() const {
    return made_at.describe(origin.empty() ? "device memory" : origin);
  }
  std::string freed_text() const { return freed_at.describe(freed_by); }
};

class DeviceMemory {
 public:
  // capacity_bytes: the total of cudaMemGetInfo. Reserves only address space, in `arenas` equal
  // parts, one per device, so that an address identifies its device.
  explicit DeviceMemory(uint64_t capacity_bytes, unsigned arenas = 1);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Each allocation begins at a page of 4096 bytes, and no other one is in its pages. Called before
  // the first allocation; std::logic_error after it.
  void give_each_its_own_pages();

  // 256-byte aligned, with at least 256 unaddressable bytes on either side. nullopt: out of memory.
  std::optional<uint64_t> allocate(uint64_t bytes, std::string origin, bool host_pinned = false,
                                   unsigned arena = 0, HostSite made_at = {});
  // Makes existing host memory accessible to kernels (cudaHostRegister; access to other pageable
  // memory stays an error).
  void adopt(uint64_t begin, uint64_t bytes, std::string origin, HostSite made_at = {});
  // The arena of an address; kNoArena for adopted memory.
  static constexpr unsigned kNoArena = ~0u;
  unsigned arena_of(uint64_t address) const;
  // Returns false when no live allocation begins at `address`. `by`: the function that freed it.
  bool release(uint64_t address, std::string by = "cudaFree", HostSite freed_at = {});

  // The live allocation that contains [address, address + bytes), or nullopt.
  std::optional<Allocation> find(uint64_t address, uint64_t bytes = 1) const;
  // The allocation nearest to a bad address, including freed ones: "48 bytes past the end of ...".
  std::optional<Allocation> nearest(uint64_t address) const;
  // The live range [begin, end) that contains `address`; {0, 0} when there is none. The interpreter
  // caches it per instruction; `generation` changes whenever a cached range may be invalid.
  struct Range {
    uint64_t begin = 0, end = 0;
  };
  Range range_of(uint64_t address) const;
  uint64_t generation() const;
  // Begin and bytes of the live allocations whose origin begins with `origin`.
  std::vector<std::pair<uint64_t, uint64_t>> live_ranges(std::string_view origin) const;
  // The address range of all allocations: the host may safely read and write all of it.
  Range reserved() const;
  // The addresses of one arena.
  Range arena_range(unsigned arena) const;

  uint64_t bytes_in_use() const;

  // The initialised bytes: the checks record writes of kernels, all other writers call this. Memory
  // that the host can access (pinned, managed, registered) counts as written from the beginning.
  WrittenMap& written() const;
  void record_written(uint64_t begin, uint64_t bytes);
  // Unknown source bytes count as written.
  void record_copied(uint64_t to, uint64_t from, uint64_t bytes);

 private:
  struct State;
  State* state_;
};

}  // namespace ridge::machine
