#include "virtual_gpu/observe/races/block_messages.h"

#include <algorithm>

namespace ridge::observe {
namespace {

// Steps that the queries of a launch may take together (about a second); then all is ordered.
constexpr uint64_t kMaxSteps = 100'000'000;
constexpr size_t kMaxRemembered = 512;  // acquired places that a message remembers for forwarding

}  // namespace

struct BlockVectorClock::Place {
  struct Message {
    uint64_t block;
    Epochs epochs;  // covers what the block did at lower epochs
    std::shared_ptr<const Seen> passed_on;
    bool forgets = false;  // it passes on more than it remembers
  };
  std::vector<Message> messages;
  size_t read_messages = 0;                        // some block has seen this many
  std::unordered_map<uint64_t, size_t> latest_of;  // by block: its latest message
};

BlockMessages::BlockMessages() : steps_left_(kMaxSteps) {}
BlockMessages::~BlockMessages() = default;

void BlockMessages::publish(BlockVectorClock& vector_clock, uint64_t key) {
  merge_read(vector_clock);
  if (vector_clock.has_read) ++vector_clock.reads;
  vector_clock.has_read = false;
  BlockVectorClock::Place::Message message{
      vector_clock.block, {vector_clock.reads, vector_clock.fences}, nullptr, false};
  const auto& seen = vector_clock.seen_epochs;
  const std::lock_guard lock(mutex_);
  auto& place = places_[key];
  if (place == nullptr) place = std::make_unique<BlockVectorClock::Place>();
  const auto mine = place->latest_of.find(vector_clock.block);
  auto* const last = mine == place->latest_of.end() ? nullptr : &place->messages[mine->second];
  const bool was_fenced = last == nullptr || last->epochs.writes != message.epochs.writes;
  if (!was_fenced && last->epochs.reads == message.epochs.reads &&
      (seen.empty() || last->passed_on != nullptr))
    return;
  message.forgets = seen.size() > kMaxRemembered || vector_clock.reached_all;
  if (!was_fenced && last->passed_on != nullptr) {
    message.passed_on = last->passed_on;
  } else if (!seen.empty() && !message.forgets) {
    if (vector_clock.passed_on == nullptr)
      vector_clock.passed_on =
          std::make_shared<const BlockVectorClock::Seen>(seen.begin(), seen.end());
    message.passed_on = vector_clock.passed_on;
  }
  if (last != nullptr && mine->second >= place->read_messages) {  // nobody has seen it
    *last = std::move(message);
    return;
  }
  place->latest_of[vector_clock.block] = place->messages.size();
  place->messages.push_back(std::move(message));
}

void BlockMessages::read(BlockVectorClock& vector_clock, uint64_t key) {
  const std::lock_guard lock(mutex_);
  auto& place = places_[key];
  if (place == nullptr) place = std::make_unique<BlockVectorClock::Place>();
  if (std::find(vector_clock.just_read.begin(), vector_clock.just_read.end(), place.get()) ==
      vector_clock.just_read.end())
    vector_clock.just_read.push_back(place.get());
}

void BlockMessages::settle(BlockVectorClock& vector_clock) {
  merge_read(vector_clock);
  vector_clock.just_read.clear();
}

// The access that reads has not been executed yet: it also reads what others publish until then, so
// the places are merged again when it has been.
void BlockMessages::merge_read(BlockVectorClock& vector_clock) {
  if (vector_clock.just_read.empty()) return;
  const std::lock_guard lock(mutex_);
  for (BlockVectorClock::Place* place : vector_clock.just_read) {
    const size_t count = place->messages.size();
    if (count == 0) continue;
    size_t& seen = vector_clock.seen_epochs[place];
    if (seen == count) continue;
    seen = count;
    place->read_messages = count;
    vector_clock.passed_on = nullptr;
    BlockVectorClock::Reached& reached = vector_clock.reached[place];
    if (reached.count < count) {
      if (reached.merged == reached.count) vector_clock.open.push_back(place);
      reached.count = count;
    }
    vector_clock.unordered.fill({});
  }
}

// Merges the messages that the block has reached, and what their writers had seen, into the clock.
// A message is merged once, so a query that finds nothing new costs one look into a table.
void BlockMessages::merge_past(BlockVectorClock& vector_clock) {
  auto& reached = vector_clock.reached;
  auto& open = vector_clock.open;
  while (!open.empty() && !vector_clock.reached_all) {
    BlockVectorClock::Place* const place = open.back();
    open.pop_back();
    BlockVectorClock::Reached& progress = reached[place];
    const size_t first = progress.merged, count = progress.count;
    progress.merged = count;
    const BlockVectorClock::Seen* last = nullptr;
    for (size_t i = first; i < count; ++i) {
      const auto& message = place->messages[i];
      vector_clock.reached_all |= message.forgets || steps_left_ == 0;
      if (vector_clock.reached_all) return;
      --steps_left_;
      BlockVectorClock::Epochs& merged = vector_clock.merged_epochs[message.block];
      merged.reads = std::max(merged.reads, message.epochs.reads);
      merged.writes = std::max(merged.writes, message.epochs.writes);
      if (message.passed_on == nullptr || message.passed_on.get() == last) continue;
      last = message.passed_on.get();
      steps_left_ -= std::min<uint64_t>(steps_left_, last->size());
      for (const auto& [other, seen] : *last) {
        BlockVectorClock::Reached& theirs = reached[other];
        if (theirs.count >= seen) continue;
        if (theirs.merged == theirs.count) open.push_back(other);
        theirs.count = seen;
      }
    }
  }
}

bool BlockMessages::ordered(BlockVectorClock& vector_clock, uint64_t block, uint32_t epoch,
                            EpochKind kind) {
  const auto below = [&](BlockVectorClock::Epochs& epochs) -> uint32_t& {
    return kind == EpochKind::reads ? epochs.reads : epochs.writes;
  };
  const auto known = vector_clock.merged_epochs.find(block);
  if (known != vector_clock.merged_epochs.end() && epoch < below(known->second)) return true;
  merge_read(vector_clock);
  BlockVectorClock::Unordered& latest =
      vector_clock.unordered[block % vector_clock.unordered.size()];
  if (latest.block == block && latest.epoch == epoch && latest.kind == kind) return false;
  const std::lock_guard lock(mutex_);
  merge_past(vector_clock);
  if (vector_clock.reached_all || epoch < below(vector_clock.merged_epochs[block])) return true;
  latest = {block, epoch, kind};
  return false;
}

}  // namespace ridge::observe
