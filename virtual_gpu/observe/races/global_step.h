// What GlobalShadow knows of the access that it looks at. Private to global_*.cpp.
#pragma once

#include "virtual_gpu/observe/races/global_shadow.h"

namespace ridge::observe {

// A lane's access to one word.
struct GlobalShadow::Step {
  const machine::Access& access;
  const Visitor& visitor;
  const StoredValues& values;
  uint32_t serial, site, thread = 0, lane = 0, byte = 0, bytes = 15;
  bool strong = false, writes = false, changes_nothing = false;
  uint32_t epoch() const {
    if (visitor.vector_clock == nullptr) return 0;
    return writes ? visitor.vector_clock->fences : visitor.vector_clock->read_epoch();
  }
  static EpochKind kind(bool writes) { return writes ? EpochKind::writes : EpochKind::reads; }
  BlockCell cell() const {
    return {BlockCell::make(serial, visitor.synchronizations, bytes, strong, site, thread).bits |
            changes_nothing};
  }
};

}  // namespace ridge::observe
