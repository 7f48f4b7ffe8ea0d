// wgmma.fence, .mma_async, .commit_group, .wait_group.
#include "virtual_gpu/machine/decode/decoder.h"
#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/matrix/opcode_words.h"

namespace ridge::machine {

using OperandKind = ptx::Operand::Kind;

namespace {

// `.target sm_90a, debug`
bool is_compiled_for_debugger(const ptx::Module& module) {
  for (const std::string_view line : module.ptx_lines) {
    if (line.starts_with(".target")) return line.find("debug") != std::string::npos;
  }
  return false;
}

}  // namespace

bool FunctionDecoder::warpgroup_op(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                   MatrixOp& matrix) {
  if (!parts.has("sync") || !parts.has("aligned")) return false;
  const std::string_view what = parts[1];
  if (what == "mma_async") return warpgroup_product(instruction, parts, matrix);
  if (what == "fence" || what == "commit_group") {
    matrix.kind = what == "fence" ? MatrixKind::group_fence : MatrixKind::group_commit;
    return instruction.operands.empty();
  }
  if (what != "wait_group" || instruction.operands.size() != 1) return false;
  matrix.kind = MatrixKind::group_wait;
  matrix.pending_groups = static_cast<uint32_t>(instruction.operands[0].integer);
  return instruction.operands[0].kind == OperandKind::integer;
}

// d, a, b, scale-d{, scale-a, scale-b{, trans-a}{, trans-b}}: a is a descriptor or four registers,
// which cannot be transposed; integers have no scales; only 16-bit types can be transposed.
bool FunctionDecoder::warpgroup_product(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                        MatrixOp& matrix) {
  const auto& operands = instruction.operands;
  const auto shape = shape_of(parts);
  if (!shape || parts.has("sp") || operands.size() < 4) return false;
  size_t types = 1;
  while (types < parts.size() && !parts[types].starts_with("m64"))
    ++types;
  const auto d = accumulator_of(parts[types + 1]);
  const auto a = element_of(parts[types + 2]), b = element_of(parts[types + 3]);
  if (!d || !a || !b || *a == ElementType::f64 || *a == ElementType::s4 || *a == ElementType::u4)
    return false;
  matrix.kind = MatrixKind::group_product;
  matrix.a = *a;
  matrix.b = *b;
  matrix.c = matrix.d = *d;
  matrix.saturate = parts.has("satfinite");
  matrix.cores = 2;
  matrix.at_once = is_compiled_for_debugger(owner_.module());
  matrix.groups = static_cast<uint16_t>(shape->n / 8);
  if (!pairs_well(matrix) || shape->m != 64 || shape->n % 8 != 0 || shape->n == 0 || shape->n > 256 ||
      shape->k != 2 * core_elements(*a))
    return false;
  if (!matrix_rows(operands[0], RowType::b32, true, shape->n / (*d == AccumulatorType::f16 ? 4 : 2),
                   matrix.d_rows))
    return false;
  matrix.a_in_registers = operands[1].kind == OperandKind::vector;
  if (matrix.a_in_registers) {
    if (!matrix_rows(operands[1], RowType::b32, false, 4, matrix.a_rows)) return false;
  } else {
    const auto descriptor = source(operands[1], RowType::b64);
    if (!descriptor) return false;
    matrix.a_descriptor = *descriptor;
  }
  const auto descriptor = source(operands[2], RowType::b64);
  if (!descriptor) return false;
  matrix.b_descriptor = *descriptor;
  if (!predicate(operands[3], matrix.scale_d, matrix.scale_d_negated)) return false;
  const bool has_scales = !is_integer(*a), has_transposes = element_bits(*a) == 16;
  const size_t expected = 4 + (has_scales ? 2 : 0) + (has_transposes ? (matrix.a_in_registers ? 1 : 2) : 0);
  if (operands.size() != expected) return false;
  for (size_t i = 4; i < operands.size(); ++i) {
    if (operands[i].kind != OperandKind::integer) return false;
  }
  if (has_scales) matrix.negate = (operands[4].integer < 0) != (operands[5].integer < 0);
  if (has_transposes) {
    matrix.transpose_b = operands.back().integer != 0;
    matrix.transpose_a = !matrix.a_in_registers && operands[6].integer != 0;
  }
  return true;
}

}  // namespace ridge::machine
