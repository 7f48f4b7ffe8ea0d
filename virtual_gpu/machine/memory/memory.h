// Device memory: one reserved range of host addresses, so that a device pointer is a host pointer and an
// access is a plain load or store once it was checked. Thread-safe; lookups take no lock.
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

// What a range of device memory is, for messages.
struct Allocation {
  uint64_t begin = 0;   // device address
  uint64_t bytes = 0;   // as asked for
  uint32_t serial = 0;  // 1 for the first allocation of the process, ...
  std::string origin;   // "cudaMalloc", "__device__ float table[256]", ...
  bool freed = false;
  bool host_pinned = false;
  HostSite made_at = {};
  std::string freed_by = {};  // "cudaFree"
  HostSite freed_at = {};

  // "cudaMalloc at saxpy.cu:12"
  std::string origin_text() const { return made_at.told(origin.empty() ? "device memory" : origin); }
  std::string freed_text() const { return freed_at.told(freed_by); }
};

class DeviceMemory {
 public:
  // capacity_bytes: what cudaMemGetInfo calls total. Reserves address space only, in `arenas` equal parts:
  // one for each device, so that an address identifies its device.
  explicit DeviceMemory(uint64_t capacity_bytes, unsigned arenas = 1);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // 256-byte aligned, with at least 256 unaddressable bytes on either side. nullopt: out of memory.
  std::optional<uint64_t> allocate(uint64_t bytes, std::string origin, bool host_pinned = false,
                                   unsigned arena = 0, HostSite made_at = {});
  // Makes existing host memory addressable by kernels (cudaHostRegister, pageable access stays an error).
  void adopt(uint64_t begin, uint64_t bytes, std::string origin, HostSite made_at = {});
  // The arena an address lies in; kNoArena for what was adopted.
  static constexpr unsigned kNoArena = ~0u;
  unsigned arena_of(uint64_t address) const;
  // False when `address` is not the beginning of a live allocation. `by`: the function that freed it.
  bool release(uint64_t address, std::string by = "cudaFree", HostSite freed_at = {});

  // The live allocation that holds [address, address + bytes), or nullopt.
  std::optional<Allocation> find(uint64_t address, uint64_t bytes = 1) const;
  // The allocation nearest to a bad address, freed ones included: "48 bytes past the end of ...".
  std::optional<Allocation> nearest(uint64_t address) const;
  // Live range holding `address`: [begin, end); {0, 0} when none. The interpreter caches this per
  // instruction; `generation` changes whenever a cached range may have become wrong.
  struct Range {
    uint64_t begin = 0, end = 0;
  };
  Range range_of(uint64_t address) const;
  uint64_t generation() const;
  // Begin and bytes of the live allocations whose origin begins with `origin`.
  std::vector<std::pair<uint64_t, uint64_t>> live_ranges(std::string_view origin) const;
  // All addresses that allocations can come from: reading and writing there is safe for the host, whatever is
  // allocated.
  Range reserved() const;

  uint64_t capacity_bytes() const;
  uint64_t bytes_in_use() const;

  // Which bytes somebody has written: kernels are seen by the checks, everything else says so here. What the
  // host can reach (pinned, managed, registered) counts as written from the beginning.
  WrittenMap& written() const;
  void record_written(uint64_t begin, uint64_t bytes);
  // What is not known of the source counts as written.
  void record_copied(uint64_t to, uint64_t from, uint64_t bytes);

 private:
  struct State;
  State* state_;
};

}  // namespace ridge::machine
