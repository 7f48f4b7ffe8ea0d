#include "virtual_gpu/observe/races/block_messages.h"

#include <algorithm>

namespace ridge::observe {
namespace {

constexpr int kDeepest = 4;  // messages passed on from block to block to block
constexpr size_t kMostSteps = 20000;
constexpr size_t kMostRemembered = 64;  // places a message's sender had heard of, for passing on

}  // namespace

struct BlockVoice::Place {
  struct Message {
    uint64_t block;
    uint32_t epoch;  // what the block did at epochs below
    std::shared_ptr<const std::unordered_map<Place*, size_t>> heard;
  };
  std::vector<Message> messages;
  std::unordered_map<uint64_t, std::vector<size_t>> by_block;
};

BlockMessages::BlockMessages() = default;
BlockMessages::~BlockMessages() = default;

void BlockMessages::publish(BlockVoice& voice, uint64_t key) {
  // An atomic reads and publishes, and has not been made yet: what others publish until then it reads, too,
  // so the places are settled again at the block's next access.
  const auto read_again = voice.just_read;
  settle(voice);
  voice.just_read = read_again;
  const std::lock_guard lock(mutex_);
  auto& place = places_[key];
  if (place == nullptr) place = std::make_unique<BlockVoice::Place>();
  auto& mine = place->by_block[voice.block];
  const bool nothing_new = !mine.empty() && place->messages[mine.back()].epoch == voice.fences &&
                           (voice.heard.empty() || place->messages[mine.back()].heard != nullptr);
  if (nothing_new) return;
  mine.push_back(place->messages.size());
  std::shared_ptr<const std::unordered_map<BlockVoice::Place*, size_t>> heard;
  if (!voice.heard.empty() && voice.heard.size() <= kMostRemembered)
    heard = std::make_shared<const std::unordered_map<BlockVoice::Place*, size_t>>(voice.heard);
  place->messages.push_back({voice.block, voice.fences, std::move(heard)});
}

void BlockMessages::read(BlockVoice& voice, uint64_t key) {
  const std::lock_guard lock(mutex_);
  auto& place = places_[key];
  if (place == nullptr) place = std::make_unique<BlockVoice::Place>();
  if (std::find(voice.just_read.begin(), voice.just_read.end(), place.get()) == voice.just_read.end())
    voice.just_read.push_back(place.get());
}

void BlockMessages::settle(BlockVoice& voice) {
  if (voice.just_read.empty()) return;
  const std::lock_guard lock(mutex_);
  for (BlockVoice::Place* place : voice.just_read) {
    if (!place->messages.empty()) voice.heard[place] = place->messages.size();
  }
  voice.just_read.clear();
}

bool BlockMessages::search(const std::unordered_map<BlockVoice::Place*, size_t>& heard, uint64_t block,
                           uint32_t epoch, int depth, size_t& steps) const {
  for (const auto& [place, count] : heard) {
    if (++steps > kMostSteps) return true;
    const auto found = place->by_block.find(block);
    if (found == place->by_block.end()) continue;
    for (const size_t index : found->second) {
      if (index < count && place->messages[index].epoch > epoch) return true;
    }
  }
  if (depth == 0) return false;
  for (const auto& [place, count] : heard) {
    for (size_t i = 0; i < count; ++i) {
      if (++steps > kMostSteps) return true;
      const auto& passed_on = place->messages[i].heard;
      if (passed_on != nullptr && search(*passed_on, block, epoch, depth - 1, steps)) return true;
    }
  }
  return false;
}

bool BlockMessages::ordered(BlockVoice& voice, uint64_t block, uint32_t epoch) {
  const auto known = voice.known_epochs.find(block);
  if (known != voice.known_epochs.end() && epoch < known->second) return true;
  settle(voice);
  const std::lock_guard lock(mutex_);
  size_t steps = 0;
  if (!search(voice.heard, block, epoch, kDeepest, steps)) return false;
  uint32_t& upto = voice.known_epochs[block];
  upto = std::max(upto, epoch + 1);
  return true;
}

}  // namespace ridge::observe
