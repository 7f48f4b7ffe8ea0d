// Races between devices: the check of one launch while kernels of other devices may run. By PTX's
// memory model an access of one device happens before an access of another only by a release and an
// acquire of system scope on the way (or by streams, events and the host).
#pragma once

#include <memory>

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/races/devices/peer_shadow.h"

namespace ridge::observe {

class PeerRaces : public machine::ObserverFactory {
 public:
  // `shadow` and `memory` must outlive the launch. `task.program` is set by make().
  PeerRaces(PeerShadow& shadow, PeerTask task, TaskClock before,
            const machine::DeviceMemory& memory);
  ~PeerRaces() override;
  std::unique_ptr<machine::Observer> make(const machine::Program& program) override;
  void collect(std::unique_ptr<machine::Observer>) override {}

 private:
  PeerShadow& shadow_;
  PeerTask task_;
  TaskClock before_;
  const machine::DeviceMemory& memory_;
  PastRef past_;
  uint32_t number_ = PeerShadow::kNotFollowed;
};

// A copy or a fill by the runtime: returns the message of the race that it is part of, or "".
// `source` may be 0.
std::string copy_race(PeerShadow& shadow, PeerTask task, const TaskClock& before,
                      const machine::DeviceMemory& memory, uint64_t destination, uint64_t source,
                      uint64_t bytes);

}  // namespace ridge::observe
