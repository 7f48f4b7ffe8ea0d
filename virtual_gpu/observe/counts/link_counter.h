// What a launch moves between its device and others, by link, direction and kind of access.
#pragma once

#include <memory>
#include <vector>

#include "trace/launch_report.h"
#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

class LinkCounter : public machine::ObserverFactory {
 public:
  // `memory` must outlive the launch. Memory of arenas from `devices` on is not that of a device.
  LinkCounter(unsigned device, unsigned devices, const machine::DeviceMemory& memory)
      : device_(device), devices_(devices), memory_(memory) {}
  std::unique_ptr<machine::Observer> make(const machine::Program& program) override;
  void collect(std::unique_ptr<machine::Observer> observer) override;
  // Sorted by devices and kind; called after the run.
  std::vector<trace::LinkCounts> links() const;

 private:
  const unsigned device_, devices_;
  const machine::DeviceMemory& memory_;
  std::vector<trace::LinkCounts> links_;
};

}  // namespace ridge::observe
