// Barriers, and operations across the lanes of a warp.
#include "virtual_gpu/machine/decode/decoder.h"

namespace ridge::machine {
namespace {

using OperandKind = ptx::Operand::Kind;

}  // namespace

void FunctionDecoder::add_warp_op(MicroOp& op, OpKind kind, const WarpOp& detail) {
  op.kind = kind;
  op.detail = static_cast<uint32_t>(program_.warp_ops.size());
  program_.warp_ops.push_back(detail);
}

// bar{.warp}{.sync|.arrive|.red}, barrier{.cta}.*{.aligned}; barrier.cluster.*
bool FunctionDecoder::decode_barrier(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                     MicroOp& op) {
  const auto& operands = instruction.operands;
  if (parts.has("cluster")) return decode_cluster_barrier(parts, op);
  if (parts.has("warp")) {
    WarpOp warp;
    if (operands.size() != 1) return false;
    const auto members = source(operands[0], RowType::b32);
    if (!members) return false;
    warp.members = *members;
    add_warp_op(op, OpKind::warp_barrier, warp);
    return true;
  }
  BarrierOp barrier;
  barrier.aligned = parts.base() == "bar" || parts.has("aligned");
  size_t next = 0;
  if (parts.has("arrive")) barrier.kind = BarrierKind::arrive;
  const bool reduces = parts.has("red");
  if (reduces) {
    barrier.kind = parts.has("popc")  ? BarrierKind::reduce_count
                   : parts.has("and") ? BarrierKind::reduce_and
                                      : BarrierKind::reduce_or;
    if (operands.size() < 3) return false;
    const RowType type = barrier.kind == BarrierKind::reduce_count ? RowType::b32 : RowType::pred;
    const auto result = destination(operands[next++], type);
    if (!result) return false;
    barrier.result = *result;
  }
  if (next >= operands.size()) return false;
  const auto id = source(operands[next++], RowType::b32);
  if (!id) return false;
  barrier.id = *id;
  const size_t remaining = operands.size() - next - (reduces ? 1 : 0);
  if (remaining == 1) {
    const auto count = source(operands[next++], RowType::b32);
    if (!count) return false;
    barrier.count = *count;
  }
  if (reduces && !predicate(operands[next++], barrier.source, barrier.source_negated)) return false;
  if (next != operands.size()) return false;
  op.kind = OpKind::block_barrier;
  op.detail = static_cast<uint32_t>(program_.barriers.size());
  program_.barriers.push_back(barrier);
  return true;
}

bool FunctionDecoder::decode_shuffle(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                     MicroOp& op) {
  const auto& operands = instruction.operands;
  const bool sync = parts.has("sync");
  if (operands.size() != (sync ? 5u : 4u)) return false;
  WarpOp warp;
  warp.mode = parts.has("up")     ? WarpOpMode::up
              : parts.has("down") ? WarpOpMode::down
              : parts.has("bfly") ? WarpOpMode::butterfly
                                  : WarpOpMode::index;
  const bool is_pair = operands[0].kind == OperandKind::pair;
  const auto result = destination(is_pair ? operands[0].elements[0] : operands[0], RowType::b32);
  if (!result) return false;
  warp.result = *result;
  if (is_pair) {
    const auto predicate_row = destination(operands[0].elements[1], RowType::pred);
    if (!predicate_row) return false;
    warp.predicate = *predicate_row;
  }
  const auto a = source(operands[1], RowType::b32), b = source(operands[2], RowType::b32),
             c = source(operands[3], RowType::b32);
  if (!a || !b || !c) return false;
  warp.source = *a;
  warp.b = *b;
  warp.c = *c;
  if (sync) {
    const auto members = source(operands[4], RowType::b32);
    if (!members) return false;
    warp.members = *members;
  }
  add_warp_op(op, OpKind::shuffle, warp);
  return true;
}

bool FunctionDecoder::decode_vote(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                  MicroOp& op) {
  const auto& operands = instruction.operands;
  const bool sync = parts.has("sync");
  if (operands.size() != (sync ? 3u : 2u)) return false;
  WarpOp warp;
  warp.mode = parts.has("all")   ? WarpOpMode::all
              : parts.has("any") ? WarpOpMode::any
              : parts.has("uni") ? WarpOpMode::uniform
                                 : WarpOpMode::ballot;
  const auto result =
      destination(operands[0], warp.mode == WarpOpMode::ballot ? RowType::b32 : RowType::pred);
  if (!result || !predicate(operands[1], warp.source, warp.source_negated)) return false;
  warp.result = *result;
  if (sync) {
    const auto members = source(operands[2], RowType::b32);
    if (!members) return false;
    warp.members = *members;
  }
  add_warp_op(op, OpKind::vote, warp);
  return true;
}

bool FunctionDecoder::decode_match(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                   MicroOp& op) {
  const auto& operands = instruction.operands;
  if (operands.size() != 3) return false;
  WarpOp warp;
  warp.mode = parts.has("all") ? WarpOpMode::match_all : WarpOpMode::match_any;
  warp.wide = parts.last() == "b64";
  const bool is_pair = operands[0].kind == OperandKind::pair;
  const auto result = destination(is_pair ? operands[0].elements[0] : operands[0], RowType::b32);
  const auto value = source(operands[1], warp.wide ? RowType::b64 : RowType::b32);
  const auto members = source(operands[2], RowType::b32);
  if (!result || !value || !members) return false;
  if (is_pair) {
    const auto predicate_row = destination(operands[0].elements[1], RowType::pred);
    if (!predicate_row) return false;
    warp.predicate = *predicate_row;
  }
  warp.result = *result;
  warp.source = *value;
  warp.members = *members;
  add_warp_op(op, OpKind::match, warp);
  return true;
}

bool FunctionDecoder::decode_redux(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                   MicroOp& op) {
  const auto& operands = instruction.operands;
  if (operands.size() != 3) return false;
  WarpOp warp;
  warp.mode = parts.has("add")   ? WarpOpMode::sum
              : parts.has("min") ? WarpOpMode::minimum
              : parts.has("max") ? WarpOpMode::maximum
              : parts.has("and") ? WarpOpMode::bit_and
              : parts.has("or")  ? WarpOpMode::bit_or
                                 : WarpOpMode::bit_xor;
  warp.is_signed = parts.last() == "s32";
  warp.is_float = parts.last() == "f32";
  warp.absolute = parts.has("abs");
  warp.nan = parts.has("NaN");
  const auto result = destination(operands[0], RowType::b32);
  const auto value = source(operands[1], RowType::b32), members = source(operands[2], RowType::b32);
  if (!result || !value || !members) return false;
  warp.result = *result;
  warp.source = *value;
  warp.members = *members;
  add_warp_op(op, OpKind::redux, warp);
  return true;
}

bool FunctionDecoder::decode_elect(const ptx::Instruction& instruction, const OpcodeParts&, MicroOp& op) {
  const auto& operands = instruction.operands;
  if (operands.size() != 2 || operands[0].kind != OperandKind::pair) return false;
  WarpOp warp;
  const auto result = destination(operands[0].elements[0], RowType::b32);
  const auto elected = destination(operands[0].elements[1], RowType::pred);
  const auto members = source(operands[1], RowType::b32);
  if (!result || !elected || !members) return false;
  warp.result = *result;
  warp.predicate = *elected;
  warp.members = *members;
  add_warp_op(op, OpKind::elect, warp);
  return true;
}

bool FunctionDecoder::decode_active_mask(const ptx::Instruction& instruction, const OpcodeParts&,
                                         MicroOp& op) {
  if (instruction.operands.size() != 1) return false;
  const auto result = destination(instruction.operands[0], RowType::b32);
  if (!result) return false;
  op.kind = OpKind::active_mask;
  op.operands.dst = *result;
  return true;
}

bool FunctionDecoder::decode_sleep(const ptx::Instruction&, const OpcodeParts&, MicroOp& op) {
  op.kind = OpKind::sleep;
  return true;
}

// mov between a vector and a wide register, or from a clock; every other mov is a lane operation.
bool FunctionDecoder::decode_mov(const ptx::Instruction& instruction, const OpcodeParts&, MicroOp& op) {
  const auto& operands = instruction.operands;
  if (operands.size() != 2) return false;
  static const std::unordered_map<std::string_view, ClockKind> clocks{
      {"%clock", ClockKind::clock32},
      {"%clock_hi", ClockKind::clock_high},
      {"%clock64", ClockKind::clock64},
      {"%globaltimer", ClockKind::nanoseconds}};
  const auto clock = clocks.find(operands[1].name);
  const bool is_high_timer = operands[1].name == "%globaltimer_hi";
  const bool is_low_timer = operands[1].name == "%globaltimer_lo" || is_high_timer;
  if (operands[1].kind == OperandKind::reg && (clock != clocks.end() || is_low_timer)) {
    const ClockKind kind = is_low_timer ? ClockKind::nanoseconds : clock->second;
    const bool wide = kind == ClockKind::clock64 || (kind == ClockKind::nanoseconds && !is_low_timer);
    const auto dst = destination(operands[0], wide ? RowType::b64 : RowType::b32);
    if (!dst) return false;
    op.kind = OpKind::read_clock;
    op.operands.dst = *dst;
    op.detail = static_cast<uint32_t>(kind);
    op.target = wide ? 1 : is_high_timer ? 2 : 0;
    return true;
  }
  const bool unpacks = operands[0].kind == OperandKind::vector,
             packs = operands[1].kind == OperandKind::vector;
  if (unpacks == packs) return false;
  const int bits = type_bits(OpcodeParts(instruction.opcode).last());
  const ptx::Operand& parts = unpacks ? operands[0] : operands[1];
  const ptx::Operand& wide = unpacks ? operands[1] : operands[0];
  if (parts.elements.empty() || bits < 16) return false;
  PackOp pack;
  pack.wide_bytes = static_cast<uint8_t>(bits / 8);
  pack.part_bytes = static_cast<uint8_t>(bits / 8 / static_cast<int>(parts.elements.size()));
  const auto row_of_bytes = [](int bytes) {
    return bytes == 16 ? RowType::b128 : bytes == 8 ? RowType::b64 : RowType::b32;
  };
  const auto lane_bytes = [](int bytes) { return static_cast<uint8_t>(bytes < 4 ? 4 : bytes); };
  pack.wide_register_bytes = lane_bytes(pack.wide_bytes);
  pack.part_register_bytes = lane_bytes(pack.part_bytes);
  const RowType wide_type = row_of_bytes(pack.wide_bytes), part_type = row_of_bytes(pack.part_bytes);
  const auto wide_row = unpacks ? source(wide, wide_type) : destination(wide, wide_type);
  if (!wide_row) return false;
  pack.wide = *wide_row;
  for (const ptx::Operand& element : parts.elements) {
    const bool sink = element.kind == OperandKind::sink || element.name == "_";
    const auto row = sink      ? std::optional(kNoRow)
                     : unpacks ? destination(element, part_type)
                               : source(element, part_type);
    if (!row) return false;
    pack.parts.push_back(*row);
  }
  op.kind = unpacks ? OpKind::unpack : OpKind::pack;
  op.detail = static_cast<uint32_t>(program_.packs.size());
  program_.packs.push_back(std::move(pack));
  return true;
}

}  // namespace ridge::machine
