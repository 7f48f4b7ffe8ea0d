// An observer that does not need every access: it subscribes to address spaces and sets the terms
// on which repeated accesses of an instruction may be elided. The composite observer skips it, and
// the machine skips the composite.
#pragma once

#include <algorithm>
#include <cstdint>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

// The byte range of an access over all active lanes.
struct ByteRange {
  uint64_t lowest = 0, end = 0;
};
ByteRange bytes_of(const machine::Access& access);

// The terms on which the loads of an instruction may be elided.
struct ElisionTerms {
  uint64_t begin = 0, end = ~uint64_t{0};  // valid while all its bytes are inside
  // The table that counts elided accesses: see machine::ElidedAccess.
  uint64_t* counts = nullptr;
  uint32_t key_mask = 0;
  uint32_t pattern = machine::ElidedAccess::kNotLogged;
  void keep_inside(uint64_t from, uint64_t to) {
    begin = std::max(begin, from);
    end = std::min(end, to);
  }
};

class SelectiveObserver : public machine::Observer {
 public:
  virtual bool subscribes_to(machine::AccessSpace) const { return true; }
  // Called for a plain load that repeats itself and was just reported. Returns false when such
  // accesses must be reported in future too; otherwise `terms` says which may be elided.
  virtual bool may_elide(const machine::Access& /*access*/, ElisionTerms& /*terms*/) { return false; }
  // While true, no load from global memory is elided, whatever the terms are.
  virtual bool wants_every_load() const { return false; }
  // The instruction's accesses that were elided since the last call. Called before its accesses
  // change.
  virtual void accesses_elided(uint32_t /*instruction*/, machine::AccessSpace,
                       const machine::ElidedAccess& /*elided*/) {}
};

}  // namespace ridge::observe
