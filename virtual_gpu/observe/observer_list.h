// A composite observer: the machine accepts one factory, and this one forwards every event to all
// of its observers, in the order in which they were added. A single factory is used directly, at no
// cost.
#pragma once

#include <memory>
#include <vector>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

class ObserverList : public machine::ObserverFactory {
 public:
  // Not owned; must outlive the launch.
  void add(machine::ObserverFactory& factory) { factories_.push_back(&factory); }
  bool empty() const { return factories_.empty(); }

  std::unique_ptr<machine::Observer> make(const machine::Program& program) override;
  void collect(std::unique_ptr<machine::Observer> observer) override;
  std::optional<LateFault> verdict() override;
  std::vector<DeferredFault> deferred() override;

 private:
  std::vector<machine::ObserverFactory*> factories_;
};

}  // namespace ridge::observe
