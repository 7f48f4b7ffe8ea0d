// The words of matrix opcodes: shapes, layouts, types.
#pragma once

#include <optional>
#include <string_view>

#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/decode/opcode_parts.h"

namespace ridge::machine {

struct MatrixShape {
  uint32_t m = 0, n = 0, k = 0;
};

std::optional<MatrixShape> shape_of(const OpcodeParts& parts);  // m16n8k16
std::string_view layout_of(const OpcodeParts& parts,
                           size_t index);  // the index-th of .row and .col, empty when none
std::optional<ElementType> element_of(std::string_view type);
std::optional<AccumulatorType> accumulator_of(std::string_view type);
bool is_integer(ElementType type);
bool is_eight_bit_float(ElementType type);
// The operands' types go together, and so do those of the accumulators with them.
bool pairs_well(const MatrixOp& op);

}  // namespace ridge::machine
