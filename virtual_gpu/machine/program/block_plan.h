// Plans a basic block: the runs of lane operations, and the slots of access patterns.
#pragma once

#include "virtual_gpu/machine/program/micro_op.h"

namespace ridge::machine {

// Fills MicroOp::run and MemoryOp::pattern_slot of the block [first, end).
void plan_block(Program& program, uint32_t first, uint32_t end);

}  // namespace ridge::machine
