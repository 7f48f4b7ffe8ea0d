// What an observer may say of itself, so that an ObserverList need not call it for every access: which spaces
// it hears of, and which accesses it would only count.
#pragma once

#include <cstdint>
#include <span>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

// How often an instruction's access repeated itself and agreed with `key` in the bits of `key_mask`, where
// its first lane points. At first nothing agrees.
struct RepeatCount {
  uint64_t key_mask = 0, key = 1;
  uint64_t times = 0;  // since its owner last looked
  bool counts(const machine::Access& access) {
    if (!access.repeats || (access.first & key_mask) != key) return false;
    ++times;
    return true;
  }
};

class DiscerningObserver : public machine::Observer {
 public:
  virtual bool hears_of(machine::AccessSpace) const { return true; }
  // By instruction. An access that its entry counts need not be told. Asked once.
  virtual std::span<RepeatCount> repeats() { return {}; }
};

}  // namespace ridge::observe
