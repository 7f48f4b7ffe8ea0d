// The result of checking an access for uninitialised bytes.
#pragma once

#include <cstdint>

namespace ridge::observe {

// Lanes that read uninitialised bytes, or that store a value read from such bytes.
struct UndefinedLanes {
  uint32_t lanes = 0;
  uint32_t bytes[32] = {};  // by lane, one bit per byte of its access
};

}  // namespace ridge::observe
