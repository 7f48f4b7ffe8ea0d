// lop3 with a predicate: a lane operation except for one operand.
#include "virtual_gpu/machine/decode/decoder.h"

namespace ridge::machine {

// lop3.or.b32 d|p, a, b, c, table, q: the table and q's row share an operand (see
// lanes/operations/bits.cpp). Without a BoolOp it is an ordinary lane operation.
bool FunctionDecoder::decode_lop3(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                  MicroOp& op) {
  const auto& operands = instruction.operands;
  if (!(parts.has("or") || parts.has("and")) || operands.size() != 6) return false;
  const ptx::Operand& result = operands[0];
  if (result.kind != ptx::Operand::Kind::pair || operands[4].kind != ptx::Operand::Kind::integer)
    return false;
  const LaneOp* lane = find_lane_op(instruction.opcode);
  const auto dst = destination(result.elements[0], RowType::b32),
             p = destination(result.elements[1], RowType::pred);
  const auto a = source(operands[1], RowType::b32), b = source(operands[2], RowType::b32),
             c = source(operands[3], RowType::b32);
  RowOffset q = 0;
  bool negated = false;
  if (lane == nullptr || !dst || !p || !a || !b || !c || !predicate(operands[5], q, negated))
    return false;
  op.kind = op.flags & kGuarded ? OpKind::lane_guarded : OpKind::lane;
  if (negated) {
    op.kind = OpKind::lane_not;
    op.target = q;
    op.detail = q = allocate(RowType::pred).offset;
  }
  const uint64_t table = static_cast<uint64_t>(operands[4].integer) & 0xff;
  op.operands = {*dst, *p, *a, *b, *c, constant_row(RowType::b32, table | uint64_t{q / 64} << 8)};
  op.full = lane->full;
  op.masked = lane->masked;
  return true;
}

}  // namespace ridge::machine
