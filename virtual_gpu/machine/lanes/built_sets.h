// The instruction sets for which the loops were compiled in this program: those of the build, for
// which cmake/instruction_sets.cmake defines RIDGE_BUILT_V2, _V3, _V4, or those that a test is
// linked with. A declaration marked RIDGE_IF_BUILT_V3 has a null address without such code.
#pragma once

#include "virtual_gpu/machine/lanes/lane_op.h"

#if defined(RIDGE_BUILT_V2)
#define RIDGE_IF_BUILT_V2
#else
#define RIDGE_IF_BUILT_V2 [[gnu::weak]]
#endif
#if defined(RIDGE_BUILT_V3)
#define RIDGE_IF_BUILT_V3
#else
#define RIDGE_IF_BUILT_V3 [[gnu::weak]]
#endif
#if defined(RIDGE_BUILT_V4)
#define RIDGE_IF_BUILT_V4
#else
#define RIDGE_IF_BUILT_V4 [[gnu::weak]]
#endif

namespace ridge::machine {

// The loops for the instruction set of the lane operations.
template <class Loops>
const Loops& loops_in_use(const Loops& v2, const Loops& v3, const Loops& v4) {
  return lane_instruction_set() == "x86-64-v4" ? v4 : lane_instruction_set() == "x86-64-v3" ? v3 : v2;
}

}  // namespace ridge::machine
