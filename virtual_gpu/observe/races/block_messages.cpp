#include "virtual_gpu/observe/races/block_messages.h"

#include <algorithm>

namespace ridge::observe {
namespace {

constexpr int kDeepest = 4;  // maximum chain of messages from block to block
constexpr size_t kMaxSteps = 20000;
constexpr size_t kMaxRemembered = 64;  // acquired places that a message remembers for forwarding

}  // namespace

struct BlockVectorClock::Place {
  struct Message {
    uint64_t block;
    uint32_t epoch;  // covers what the block did at lower epochs
    std::shared_ptr<const std::unordered_map<Place*, size_t>> seen_epochs;
  };
  std::vector<Message> messages;
  std::unordered_map<uint64_t, std::vector<size_t>> by_block;
};

BlockMessages::BlockMessages() = default;
BlockMessages::~BlockMessages() = default;

void BlockMessages::publish(BlockVectorClock& vector_clock, uint64_t key) {
  // An atomic reads and publishes, and has not been executed yet: it also reads what others publish
  // until then, so the places are merged again at the block's next access.
  const auto read_again = vector_clock.just_read;
  settle(vector_clock);
  vector_clock.just_read = read_again;
  const std::lock_guard lock(mutex_);
  auto& place = places_[key];
  if (place == nullptr) place = std::make_unique<BlockVectorClock::Place>();
  auto& mine = place->by_block[vector_clock.block];
  const bool is_unchanged = !mine.empty() && place->messages[mine.back()].epoch == vector_clock.fences &&
                           (vector_clock.seen_epochs.empty() || place->messages[mine.back()].seen_epochs != nullptr);
  if (is_unchanged) return;
  mine.push_back(place->messages.size());
  std::shared_ptr<const std::unordered_map<BlockVectorClock::Place*, size_t>> seen_epochs;
  if (!vector_clock.seen_epochs.empty() && vector_clock.seen_epochs.size() <= kMaxRemembered)
    seen_epochs = std::make_shared<const std::unordered_map<BlockVectorClock::Place*, size_t>>(vector_clock.seen_epochs);
  place->messages.push_back({vector_clock.block, vector_clock.fences, std::move(seen_epochs)});
}

void BlockMessages::read(BlockVectorClock& vector_clock, uint64_t key) {
  const std::lock_guard lock(mutex_);
  auto& place = places_[key];
  if (place == nullptr) place = std::make_unique<BlockVectorClock::Place>();
  if (std::find(vector_clock.just_read.begin(), vector_clock.just_read.end(), place.get()) == vector_clock.just_read.end())
    vector_clock.just_read.push_back(place.get());
}

void BlockMessages::settle(BlockVectorClock& vector_clock) {
  if (vector_clock.just_read.empty()) return;
  const std::lock_guard lock(mutex_);
  for (BlockVectorClock::Place* place : vector_clock.just_read) {
    if (!place->messages.empty()) vector_clock.seen_epochs[place] = place->messages.size();
  }
  vector_clock.just_read.clear();
}

bool BlockMessages::search(const std::unordered_map<BlockVectorClock::Place*, size_t>& seen_epochs, uint64_t block,
                           uint32_t epoch, int depth, size_t& steps) const {
  for (const auto& [place, count] : seen_epochs) {
    if (++steps > kMaxSteps) return true;
    const auto found = place->by_block.find(block);
    if (found == place->by_block.end()) continue;
    for (const size_t index : found->second) {
      if (index < count && place->messages[index].epoch > epoch) return true;
    }
  }
  if (depth == 0) return false;
  for (const auto& [place, count] : seen_epochs) {
    for (size_t i = 0; i < count; ++i) {
      if (++steps > kMaxSteps) return true;
      const auto& passed_on = place->messages[i].seen_epochs;
      if (passed_on != nullptr && search(*passed_on, block, epoch, depth - 1, steps)) return true;
    }
  }
  return false;
}

bool BlockMessages::ordered(BlockVectorClock& vector_clock, uint64_t block, uint32_t epoch) {
  const auto known = vector_clock.merged_epochs.find(block);
  if (known != vector_clock.merged_epochs.end() && epoch < known->second) return true;
  settle(vector_clock);
  const std::lock_guard lock(mutex_);
  size_t steps = 0;
  if (!search(vector_clock.seen_epochs, block, epoch, kDeepest, steps)) return false;
  uint32_t& upto = vector_clock.merged_epochs[block];
  upto = std::max(upto, epoch + 1);
  return true;
}

}  // namespace ridge::observe
