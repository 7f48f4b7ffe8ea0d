// The result of looking at an access for bytes that nobody has written.
#pragma once

#include <cstdint>

namespace ridge::observe {

// Lanes that read unwritten bytes, or that store a value read from such bytes.
struct UndefinedLanes {
  uint32_t lanes = 0;
  uint32_t bytes[32] = {};  // by lane, a bit for each byte of its access
};

}  // namespace ridge::observe
