// lop3 with a predicate and the scalar video instructions: lane operations except for their operands.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "virtual_gpu/machine/decode/decoder.h"
#include "virtual_gpu/machine/lanes/video_control.h"

namespace ridge::machine {
namespace {

VideoPart part_of(const ptx::Operand& operand) {
  if (operand.part == 0) return VideoPart::word;
  const VideoPart first = operand.part == 'b' ? VideoPart::b0 : VideoPart::h0;
  return static_cast<VideoPart>(static_cast<int>(first) + operand.part_index);
}

// vadd.s32.u32.s32.sat.max: result, a, b. vset has no type of the result, which is unsigned; what it
// compares by follows.
std::optional<VideoControl> video_control(const OpcodeParts& parts) {
  VideoControl control;
  const bool is_set = parts.base() == "vset", multiplies = parts.base() == "vmad";
  const auto is_signed = [&](size_t index) { return parts[index] == "s32"; };
  for (size_t index = 1; index <= (is_set ? 2u : 3u); ++index) {
    if (!is_signed(index) && parts[index] != "u32") return std::nullopt;
  }
  control.to_signed = !is_set && is_signed(1);
  control.a_signed = is_signed(is_set ? 1 : 2);
  control.b_signed = is_signed(is_set ? 2 : 3);
  for (size_t index = is_set ? 3 : 4; index < parts.size(); ++index) {
    const std::string_view part = parts[index];
    static constexpr std::string_view kCompares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const auto compare = std::find(std::begin(kCompares), std::end(kCompares), part);
    if (is_set && compare != std::end(kCompares))
      control.compare = static_cast<VideoCompare>(compare - std::begin(kCompares));
    else if (part == "sat")
      control.saturates = true;
    else if (part == "clamp")
      control.clamps = true;
    else if (part == "add")
      control.final = VideoFinal::add;
    else if (part == "min")
      control.final = VideoFinal::min;
    else if (part == "max")
      control.final = VideoFinal::max;
    else if (multiplies && part == "po")
      control.plus_one = true;
    else if (multiplies && (part == "shr7" || part == "shr15"))
      control.shift = part == "shr7" ? 7 : 15;
    else if (part != "wrap")
      return std::nullopt;
  }
  return control;
}

}  // namespace

// vadd d, a, b; or with a part of d, or a second operation, vadd d, a, b, c.
bool FunctionDecoder::decode_scalar_video(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                          MicroOp& op) {
  const auto& operands = instruction.operands;
  auto control = video_control(parts);
  const LaneOp* lane = find_lane_op(fmt::format("{}:scalar", parts.base()));
  if (!control || lane == nullptr || operands.size() < 3 || operands.size() > 4) return false;
  control->to = part_of(operands[0]);
  control->a = part_of(operands[1]);
  control->b = part_of(operands[2]);
  control->a_negative = operands[1].negated;
  control->b_negative = operands[2].negated;
  control->c_negative = operands.size() == 4 && operands[3].negated;
  const auto dst = destination(operands[0], RowType::b32);
  const auto a = source(operands[1], RowType::b32), b = source(operands[2], RowType::b32);
  const auto c = operands.size() == 4 ? source(operands[3], RowType::b32)
                                      : std::optional(constant_row(RowType::b32, 0));
  if (!dst || !a || !b || !c) return false;
  op.operands = {*dst, 0, *a, *b, *c, constant_row(RowType::b32, control->packed())};
  op.kind = op.flags & kGuarded ? OpKind::lane_guarded : OpKind::lane;
  op.full = lane->full;
  op.masked = lane->masked;
  return true;
}

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
