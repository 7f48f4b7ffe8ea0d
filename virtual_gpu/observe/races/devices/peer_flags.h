// Flags, counters and locks in memory through which warps of different blocks and devices
// synchronise: what a strong store to an address released, for those who acquire it there.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/observe/races/devices/peer_clock.h"

namespace ridge::observe {

// A warp's latest strong store to an address.
struct FlagWrite {
  BlockKey block = 0;
  uint32_t warp = 0, instruction = 0;
  unsigned device = 0;
  SnapshotRef now;  // what its thread knew: for messages
  // What it released to threads of its own device, and of all devices; null: nothing.
  SnapshotRef to_device, to_system;
};

class PeerFlags {
 public:
  void write(uint64_t address, FlagWrite write);
  // The stores to `address` so far, one per warp. An atomic continues what earlier ones released,
  // so all of them count.
  template <class F>
  void for_each_write(uint64_t address, F&& visit) {
    Shard& shard = shard_of(address);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.places.find(address);
    if (found == shard.places.end()) return;
    for (const FlagWrite& write : found->second)
      visit(write);
  }
  void clear();

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<uint64_t, std::vector<FlagWrite>> places;
  };
  Shard& shard_of(uint64_t address) { return shards_[address / 16 % shards_.size()]; }
  std::array<Shard, 64> shards_;
};

}  // namespace ridge::observe
