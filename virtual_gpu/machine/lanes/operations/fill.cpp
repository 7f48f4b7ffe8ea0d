#include "virtual_gpu/machine/lanes/operations/fill.h"

namespace ridge::machine::RIDGE_LANES {

void fill(LaneTable& table);  // select.cpp refers to it by name

void fill(LaneTable& table) {
  add_integer_arithmetic(table);
  add_carry_chains(table);
  add_bit_operations(table);
  add_moves(table);
  add_integer_comparisons(table);
  add_float_comparisons(table);
  add_float_arithmetic(table);
  add_directed_rounding(table);
  add_float_functions(table);
  add_half_arithmetic(table);
  add_integer_conversions(table);
  add_float_conversions(table);
  add_small_float_conversions(table);
}

}  // namespace ridge::machine::RIDGE_LANES
