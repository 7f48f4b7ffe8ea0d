#include "virtual_gpu/runtime/devices/allocations.h"

#include <algorithm>
#include <mutex>

namespace ridge::runtime {

void Allocations::add(const Block& block) {
  std::unique_lock lock(mutex_);
  blocks_[block.begin] = block;
}

std::optional<Block> Allocations::remove(uint64_t address, std::initializer_list<MemoryKind> kinds) {
  std::unique_lock lock(mutex_);
  auto found = blocks_.find(address);
  if (found == blocks_.end() || std::find(kinds.begin(), kinds.end(), found->second.kind) == kinds.end()) {
    return std::nullopt;
  }
  Block block = found->second;
  blocks_.erase(found);
  return block;
}

std::optional<Block> Allocations::find(uint64_t address) const {
  std::shared_lock lock(mutex_);
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return std::nullopt;
  const Block& block = std::prev(next)->second;
  if (address >= block.end()) return std::nullopt;
  return block;
}

bool Allocations::overlaps(uint64_t begin, uint64_t end) const {
  std::shared_lock lock(mutex_);
  auto next = blocks_.lower_bound(end);
  return next != blocks_.begin() && std::prev(next)->second.end() > begin;
}

std::vector<Block> Allocations::all() const {
  std::shared_lock lock(mutex_);
  std::vector<Block> blocks;
  for (const auto& [begin, block] : blocks_)
    blocks.push_back(block);
  return blocks;
}

}  // namespace ridge::runtime
