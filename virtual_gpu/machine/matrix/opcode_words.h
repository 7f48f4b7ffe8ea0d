// Parses the parts of matrix opcodes: shapes, layouts, types.
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
                           // The index-th of .row and .col; empty when there is none.
                           size_t index);
std::optional<ElementType> element_of(std::string_view type);
std::optional<AccumulatorType> accumulator_of(std::string_view type);
bool is_integer(ElementType type);
bool is_eight_bit_float(ElementType type);
// True when the types of the operands and of the accumulators are a valid combination.
bool pairs_well(const MatrixOp& op);

}  // namespace ridge::machine
