// Whether kernels of a file may add to an output with atomics: if nobody set such an output to 0,
// it holds NaN after the call, like one that was never written.
#pragma once

#include <span>
#include <string>

namespace ridge::grade {

// True if a PTX text has an atomic or a bulk reduction that adds floating-point numbers to global
// memory, or keeps the larger or smaller of two numbers there. Counters and flags are integers, and
// shared memory is not an output. PTX shows what a header of the course does for the file, too.
bool adds_atomically(std::span<const std::string> ptx);

}  // namespace ridge::grade
