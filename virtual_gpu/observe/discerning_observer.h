// What an observer may say of itself, so that an ObserverList need not call it for every access, and so that
// the core need not call the list: which spaces it hears of, and which accesses of an instruction it need not
// hear of as long as they only repeat themselves.
#pragma once

#include <algorithm>
#include <cstdint>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

// The bytes of an access, of all active lanes.
struct ByteRange {
  uint64_t lowest = 0, end = 0;
};
ByteRange bytes_of(const machine::Access& access);

// What observers agree on of an instruction's loads.
struct QuietTerms {
  uint64_t begin = 0, end = ~uint64_t{0};  // as long as all its bytes are in here
  // Who counts: see machine::QuietAccess.
  uint64_t* counts = nullptr;
  uint32_t key_mask = 0;
  uint32_t pattern = machine::QuietAccess::kNotLogged;
  void keep_inside(uint64_t from, uint64_t to) {
    begin = std::max(begin, from);
    end = std::min(end, to);
  }
};

class DiscerningObserver : public machine::Observer {
 public:
  virtual bool hears_of(machine::AccessSpace) const { return true; }
  // `access` repeats itself, is a plain load, and was just told: false when such accesses have to be told
  // further on, otherwise the terms on which they need not be.
  virtual bool lets_go(const machine::Access& /*access*/, QuietTerms& /*terms*/) { return false; }
  // For now no load from global memory may go untold, whatever the terms were.
  virtual bool wants_every_load() const { return false; }
  // What the instruction did quietly since this was last called. Called before its accesses change.
  virtual void went_by(uint32_t /*instruction*/, machine::AccessSpace,
                       const machine::QuietAccess& /*quiet*/) {}
};

}  // namespace ridge::observe
