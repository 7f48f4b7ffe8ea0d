// Decodes ldmatrix, stmatrix, movmatrix and mma.sync. Unsupported forms become unknown
// instructions.
#include "virtual_gpu/machine/decode/decoder.h"
#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/matrix/opcode_words.h"

namespace ridge::machine {

using OperandKind = ptx::Operand::Kind;

void FunctionDecoder::add_matrix_op(MicroOp& op, MatrixOp matrix) {
  // All lanes participate: early ones wait, as at any other *.sync.
  WarpOp wait;
  wait.members = constant_row(RowType::b32, kAllLanes);
  add_warp_op(op, OpKind::matrix, wait);
  op.target = static_cast<uint32_t>(program_.matrices.size());
  program_.matrices.push_back(std::move(matrix));
}

// The registers of {a, b, c}, or of a single one without braces.
bool FunctionDecoder::matrix_rows(const ptx::Operand& operand, RowType type, bool is_destination,
                                  size_t count, std::vector<RowOffset>& rows) {
  const bool is_list = operand.kind == OperandKind::vector;
  if ((is_list ? operand.elements.size() : 1) != count) return false;
  for (size_t i = 0; i < count; ++i) {
    const ptx::Operand& element = is_list ? operand.elements[i] : operand;
    const auto row = is_destination ? destination(element, type) : source(element, type);
    if (!row) return false;
    rows.push_back(*row);
  }
  return true;
}

bool FunctionDecoder::decode_matrix(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                    MicroOp& op) {
  MatrixOp matrix;
  bool known = false;
  if (parts.base() == "wmma")
    known =
        parts.has("mma") ? wmma_product(instruction, parts, matrix) : wmma_memory(instruction, parts, matrix);
  else if (parts.base() == "wgmma")
    known = warpgroup_op(instruction, parts, matrix);
  else if (parts.base() == "mma")
    known = warp_product(instruction, parts, matrix);
  else
    known = fragment_move(instruction, parts, matrix);
  if (known) add_matrix_op(op, std::move(matrix));
  return known;
}

bool FunctionDecoder::fragment_move(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                    MatrixOp& matrix) {
  const auto& operands = instruction.operands;
  if (operands.size() != 2 || !parts.has("m8n8") || parts.last() != "b16") return false;
  matrix.transposed = parts.has("trans");
  if (parts.base() == "movmatrix") {
    matrix.kind = MatrixKind::transpose;
    return matrix.transposed && matrix_rows(operands[0], RowType::b32, true, 1, matrix.d_rows) &&
           matrix_rows(operands[1], RowType::b32, false, 1, matrix.a_rows);
  }
  const size_t count = parts.has("x4") ? 4 : parts.has("x2") ? 2 : parts.has("x1") ? 1 : 0;
  const bool is_load = parts.base() == "ldmatrix";
  matrix.kind = is_load ? MatrixKind::load : MatrixKind::store;
  const bool is_shared = parts.has("shared") || parts.has("shared::cta");
  if (count == 0 ||
      !place(operands[is_load ? 1 : 0], is_shared ? MemorySpace::shared : MemorySpace::generic, matrix.place))
    return false;
  matrix.place.element_bytes = 16;
  matrix.place.access_bytes = 16;
  matrix.place.cache = program_.cache_count++;
  return is_load ? matrix_rows(operands[0], RowType::b32, true, count, matrix.d_rows)
                 : matrix_rows(operands[1], RowType::b32, false, count, matrix.a_rows);
}

bool FunctionDecoder::product_rows(const ptx::Instruction& instruction, MatrixOp& matrix, size_t a,
                                   size_t b) {
  const auto& operands = instruction.operands;
  if (operands.size() < 4) return false;
  const bool wide = matrix.a == ElementType::f64;
  const RowType type = wide ? RowType::b64 : RowType::b32;
  const size_t tiles = static_cast<size_t>(matrix.tiles) * matrix.groups;
  const size_t halves = matrix.half_tile ? 1 : 2;
  const auto accumulators = [&](AccumulatorType t) {
    return tiles * halves * (t == AccumulatorType::f16 ? 1 : 2);
  };
  return matrix_rows(operands[0], type, true, accumulators(matrix.d), matrix.d_rows) &&
         matrix_rows(operands[1], type, false, a, matrix.a_rows) &&
         matrix_rows(operands[2], type, false, b, matrix.b_rows) &&
         matrix_rows(operands[3], type, false, accumulators(matrix.c), matrix.c_rows);
}

// mma{.sp::ordered_metadata}.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C{.xor.popc}
bool FunctionDecoder::warp_product(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                   MatrixOp& matrix) {
  matrix.kind = MatrixKind::product;
  const size_t types = parts.has("popc") ? parts.size() - 6 : parts.size() - 4;
  const auto shape = shape_of(parts);
  if (!shape || parts.size() < 9 || !parts.has("sync") || !parts.has("aligned")) return false;
  const auto d = accumulator_of(parts[types]), c = accumulator_of(parts[types + 3]);
  const auto a = element_of(parts[types + 1]), b = element_of(parts[types + 2]);
  if (!a || !b || !c || !d) return false;
  matrix.a = *a;
  matrix.b = *b;
  matrix.c = *c;
  matrix.d = *d;
  matrix.saturate = parts.has("satfinite");
  matrix.exclusive_or = parts.has("xor");
  const bool sparse = parts.has_prefix("sp");
  if (!pairs_well(matrix) || shape->n != 8 || parts.has_prefix("kind") || parts.has_prefix("block_scale"))
    return false;
  matrix.half_tile = shape->m == 8;
  if (shape->m == 8 && shape->k == 4 && *a == ElementType::f16) {
    const auto& operands = instruction.operands;
    matrix.kind = MatrixKind::quarter_product;
    matrix.a_column = layout_of(parts, 0) == "col";
    matrix.b_row = layout_of(parts, 1) == "row";
    const auto count = [](AccumulatorType t) { return t == AccumulatorType::f16 ? size_t{4} : size_t{8}; };
    return !sparse && operands.size() == 4 &&
           matrix_rows(operands[0], RowType::b32, true, count(*d), matrix.d_rows) &&
           matrix_rows(operands[1], RowType::b32, false, 2, matrix.a_rows) &&
           matrix_rows(operands[2], RowType::b32, false, 2, matrix.b_rows) &&
           matrix_rows(operands[3], RowType::b32, false, count(*c), matrix.c_rows);
  }
  if (layout_of(parts, 0) != "row" || layout_of(parts, 1) != "col") return false;
  const uint32_t elements = core_elements(*a);
  if ((shape->m != 8 && shape->m != 16) || shape->k % elements != 0) return false;
  matrix.cores = static_cast<uint8_t>(shape->k / elements);
  const size_t halves = matrix.half_tile ? 1 : 2;
  const size_t cores_of_a = sparse ? matrix.cores / 2 : matrix.cores;
  if (cores_of_a == 0 || !product_rows(instruction, matrix, cores_of_a * halves, matrix.cores)) return false;
  if (!sparse) return instruction.operands.size() == 4;
  const auto& operands = instruction.operands;
  if (operands.size() != 6 || matrix.half_tile || operands[5].kind != OperandKind::integer) return false;
  const auto metadata = source(operands[4], RowType::b32);
  if (!metadata || *a == ElementType::s4 || *a == ElementType::u4) return false;
  matrix.metadata = *metadata;
  matrix.selector = static_cast<uint8_t>(operands[5].integer);
  return true;
}

}  // namespace ridge::machine
