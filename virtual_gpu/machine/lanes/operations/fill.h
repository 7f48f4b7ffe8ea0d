// The families of operations, each in its own file. To add an opcode, add a row to its family.
#pragma once

#include "virtual_gpu/machine/lanes/lane_table.h"

namespace ridge::machine::RIDGE_LANES {

void add_integer_arithmetic(LaneTable& table);
void add_carry_chains(LaneTable& table);
void add_bit_operations(LaneTable& table);
void add_moves(LaneTable& table);
void add_integer_comparisons(LaneTable& table);
void add_float_comparisons(LaneTable& table);
void add_float_arithmetic(LaneTable& table);
void add_directed_rounding(LaneTable& table);
void add_float_functions(LaneTable& table);
void add_half_arithmetic(LaneTable& table);
void add_integer_conversions(LaneTable& table);
void add_float_conversions(LaneTable& table);
void add_small_float_conversions(LaneTable& table);

}  // namespace ridge::machine::RIDGE_LANES
