// Loops of the PTX that ptxas unrolled: the SASS has stages of several copies of the body, the
// largest first, and one or more for the remaining iterations. Which stages a warp issues depends on
// how many iterations each of its lanes makes: lanes that make 5 and 8 iterations of a loop in stages
// of 4 and 1 issue the first twice and the second once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/program/program.h"
#include "warp_model/sass.h"

namespace ridge::observe {

struct UnrolledStage {
  int64_t copies = 1;  // of the loop's body
  bool loops = false;  // it follows itself
  // Counts over all entries of warps into the PTX loop:
  uint64_t issued = 0;
  uint64_t again = 0;   // issued after itself
  uint64_t mixed = 0;   // some lanes came to it, others went around it
  uint64_t parted = 0;  // it was left by some lanes while others went on
};

struct UnrolledLoop {
  uint32_t first = 0, last = 0;  // instructions of the PTX loop, the last one included
  std::vector<UnrolledStage> stages;
  // A warp's lanes entered the loop and made `iterations` each; 0: the lane was not there.
  void add_entry(const std::array<uint32_t, 32>& iterations);
  void add(const UnrolledLoop& other);
};

// Innermost loops whose lines have counterparts in stages of different sizes.
std::vector<UnrolledLoop> find_unrolled_loops(const machine::Program& program,
                                              const std::vector<warp_model::SassInstruction>& code);

}  // namespace ridge::observe
