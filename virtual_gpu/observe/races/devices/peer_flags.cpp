#include "virtual_gpu/observe/races/devices/peer_flags.h"

#include <algorithm>

namespace ridge::observe {

void PeerFlags::write(uint64_t address, FlagWrite write) {
  Shard& shard = shard_of(address);
  const std::lock_guard lock(shard.mutex);
  std::vector<FlagWrite>& writes = shard.places[address];
  const auto same = std::find_if(writes.begin(), writes.end(), [&](const FlagWrite& other) {
    return other.block == write.block && other.warp == write.warp;
  });
  if (same == writes.end()) {
    writes.push_back(std::move(write));
    return;
  }
  // Somebody may have read the earlier value, and acquires what came with it.
  if (write.to_device == nullptr) write.to_device = std::move(same->to_device);
  if (write.to_system == nullptr) write.to_system = std::move(same->to_system);
  *same = std::move(write);
}

void PeerFlags::clear() {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    shard.places.clear();
  }
}

}  // namespace ridge::observe
