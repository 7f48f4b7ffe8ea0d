// What the machine asks and reports about other launches than the running one.
#pragma once

#include <array>
#include <string>

#include "virtual_gpu/machine/observer.h"

namespace ridge::machine {

// A fault of a thread of another launch than the one in which it was found.
struct FaultOfOtherLaunch : ObservedFault {
  const Program* program = nullptr;
  std::array<uint32_t, 3> grid{}, block{};
  uint64_t linear = 0;  // index of the block
  using ObservedFault::ObservedFault;
};

// An observer that knows what a polling warp waits for.
class WaitDescriber {
 public:
  virtual ~WaitDescriber() = default;
  // ", polling byte 64 of ...", for the report of a deadlock; "": unknown.
  virtual std::string describe_wait(uint64_t block, uint32_t warp) const = 0;
};

// What happens outside of a launch whose threads only poll.
class OutsideWatch {
 public:
  virtual ~OutsideWatch() = default;
  // True when the host, another stream or another device may still release the threads. `places`:
  // where they wait.
  virtual bool may_be_helped(const std::string& places) = 0;
  // The same lists of the other running launches.
  virtual std::string others_waiting() const = 0;
  // True when what they wait for failed on another device: the launch ends without a fault.
  virtual bool is_abandoned() = 0;
};

}  // namespace ridge::machine
