// The sizes of the problem host_errors: {n, launch, breakage}. Of four launches the one with this
// number, from 1, is broken in this way.
#pragma once

#include <cstdint>

namespace ridge::problems {

inline constexpr int kLaunches = 4;

enum class Breakage : int64_t {
  nothing = 1,
  threads,        // refused: more threads per block than any GPU takes
  shared_memory,  // refused: more shared memory than a block can have
  address,        // starts, and fails in the kernel: a store to an address that nobody has
  trap            // starts, and fails in the kernel: it stops itself
};

}  // namespace ridge::problems
