#include "virtual_gpu/observe/races/devices/peer_races.h"

#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/observe/races/devices/peer_observer.h"
#include "virtual_gpu/observe/races/devices/peer_text.h"

namespace ridge::observe {

PeerRaces::PeerRaces(PeerShadow& shadow, PeerTask task, TaskClock before,
                     const machine::DeviceMemory& memory)
    : shadow_(shadow), task_(std::move(task)), before_(std::move(before)), memory_(memory) {}

PeerRaces::~PeerRaces() {
  shadow_.end(number_);
}

std::unique_ptr<machine::Observer> PeerRaces::make(const machine::Program& program) {
  if (task_.program != &program) {
    task_.program = &program;
    number_ = shadow_.begin(task_, before_);
    // What this launch does is known to others by its releases only.
    TaskClock before = before_;
    for (auto& [queue, number] : before.last)
      if (queue == task_.queue) number = task_.number - 1;
    past_ = shadow_.past_of(before);
  }
  if (number_ == PeerShadow::kNotFollowed) return std::make_unique<machine::Observer>();
  const uint32_t threads = task_.block.x * task_.block.y * task_.block.z;
  return std::make_unique<PeerObserver>(shadow_, number_, past_, (threads + 31) / 32, memory_);
}

std::string copy_race(PeerShadow& shadow, PeerTask task, const TaskClock& before,
                      const machine::DeviceMemory& memory, uint64_t destination, uint64_t source,
                      uint64_t bytes) {
  const uint32_t number = shadow.begin(std::move(task), before);
  if (number == PeerShadow::kNotFollowed) return "";
  const PastRef past = shadow.past_of(before);
  std::string text;
  for (const bool writes : {false, true}) {
    const uint64_t at = writes ? destination : source;
    if (at == 0 || memory.arena_of(at) == machine::DeviceMemory::kNoArena) continue;
    PeerConflict conflict;
    conflict.mine.block = block_key(number, 0);
    conflict.mine.writes = writes;
    const uint32_t record = shadow.record(conflict.mine);
    PeerRace race;
    if (record == 0 || !shadow.touch(at, bytes, record, past.get(), race)) continue;
    conflict.address = race.address;
    conflict.other = race.other;
    text = copy_race_text(shadow, conflict, memory);
    break;
  }
  shadow.end(number);
  return text;
}

}  // namespace ridge::observe
