// Decodes one function: its variables, its instructions one by one, and its basic blocks.
#include <fmt/format.h>

#include <algorithm>

#include "virtual_gpu/machine/decode/decoder.h"
#include "virtual_gpu/machine/grid/block_order.h"
#include "virtual_gpu/machine/memory/shared_origins.h"
#include "virtual_gpu/machine/program/block_plan.h"

namespace ridge::machine {
namespace {

uint64_t variable_bytes(const ptx::Variable& v) {
  return static_cast<uint64_t>(std::max(type_bits(v.type) / 8, 1)) * v.vector_width *
         v.element_count;
}

uint64_t variable_alignment(const ptx::Variable& v) {
  if (v.alignment != 0) return v.alignment;
  return static_cast<uint64_t>(std::max(type_bits(v.type) / 8, 1)) * v.vector_width;
}

uint64_t round_up(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

// Divisions, reciprocals and roots with a rounding mode.
bool is_rounded(std::string_view opcode) {
  return opcode.starts_with("div.r") || opcode.starts_with("rcp.r") || opcode.starts_with("sqrt.r");
}

bool ends_block(OpKind kind) {
  return kind >= OpKind::branch && kind < OpKind::unknown;
}
bool falls_through(const MicroOp& op) {
  if (op.flags & kGuarded) return true;
  return op.kind != OpKind::branch && op.kind != OpKind::branch_indexed && op.kind != OpKind::ret &&
         op.kind != OpKind::exit && op.kind != OpKind::trap;
}

}  // namespace

FunctionDecoder::FunctionDecoder(ModuleDecoder& owner, const ptx::Function& function,
                                 FunctionCode& code)
    : owner_(owner), program_(owner.program()), function_(function), code_(code) {}

void FunctionDecoder::declare_variables() {
  for (const ptx::RegisterDeclaration& d : function_.registers)
    declarations_.emplace(d.name, &d);
  const auto slot = [&](const ptx::Variable& v) {
    const uint32_t words = static_cast<uint32_t>((variable_bytes(v) + 3) / 4);
    return slots_[v.name] = ParameterSlot{allocate_words(words), words};
  };
  if (function_.is_entry) {
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      kernel_parameters_[function_.parameters[i].name] = program_.info.parameters[i].offset;
    }
  } else {
    for (const ptx::Variable& v : function_.parameters)
      code_.parameters.push_back(slot(v));
    for (const ptx::Variable& v : function_.results)
      code_.results.push_back(slot(v));
  }
  uint64_t local_bytes = 0;
  for (const ptx::Variable& v : function_.variables) {
    if (v.space == ptx::Space::param) {
      slot(v);
    } else if (v.space == ptx::Space::shared) {
      owner_.place_shared(v);
    } else if (v.space == ptx::Space::local) {
      local_bytes = round_up(local_bytes, variable_alignment(v));
      locals_[v.name] = {local_bytes};
      local_bytes += variable_bytes(v);
    }
  }
  code_.local_bytes = static_cast<uint32_t>(round_up(local_bytes, 16));
}

void FunctionDecoder::decode() {
  declare_variables();
  allocate_registers();
  if (!program_.shared_arrays.empty()) {
    shared_origins_ = shared_origins(function_, [this](std::string_view name) {
      return owner_.shared_offset(name).has_value();
    });
  }
  for (const ptx::Instruction& instruction : function_.instructions) {
    program_.ops.push_back(decode_instruction(instruction));
  }
  // A final return: the end of the function returns, and a label at the end needs an instruction.
  MicroOp last;
  last.kind = OpKind::ret;
  program_.ops.push_back(last);
  link_blocks();
  for (const ptx::RegisterNumber number : allocation_.unset) {
    if (rows_[number].offset != kNoRow) code_.unset.push_back(rows_[number].offset);
  }
  std::sort(code_.unset.begin(), code_.unset.end());
  code_.register_bytes = next_row_;
}

MicroOp FunctionDecoder::decode_instruction(const ptx::Instruction& instruction) {
  MicroOp op;
  const OpcodeParts parts(instruction.opcode);
  bool known = true;
  if (!instruction.guard.empty()) {
    bool unused = false;
    known = predicate(guard_operand(instruction), op.guard, unused);
    op.flags = static_cast<uint8_t>(kGuarded | (instruction.guard_negated ? kGuardNegated : 0));
  }
  if (known) {
    const auto opcode = opcode_table().find(parts.base());
    const Handler handler = opcode == opcode_table().end() ? nullptr : opcode->second.decode;
    known = handler != nullptr && (this->*handler)(instruction, parts, op);
    if (!known) known = decode_lane(instruction, op);
  }
  if (!known) {
    const uint8_t flags = op.flags;
    const RowOffset guard = op.guard;
    op = MicroOp{};
    op.flags = flags;
    op.guard = guard;
  }
  return op;
}

// The lane operation of an instruction, found by its opcode. Where the text does not distinguish
// operations, the registers do: min and max of three have names of their own, and cvt may have
// 64-bit registers for shorter integers.
const LaneOp* FunctionDecoder::lane_op_of(const ptx::Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  const auto& operands = instruction.operands;
  if (operands.size() == 4 && (opcode.starts_with("min.") || opcode.starts_with("max.")))
    return find_lane_op(fmt::format("{}3{}", opcode.substr(0, 3), opcode.substr(3)));
  const LaneOp* lane = find_lane_op(opcode);
  if (lane == nullptr || operands.size() != 2 || !opcode.starts_with("cvt.")) return lane;
  const auto is_wider = [&](const ptx::Operand& operand, RowType type) {
    if (operand.kind != ptx::Operand::Kind::reg || type != RowType::b32) return false;
    const auto row = register_row(operand);
    return row && row->type == RowType::b64;
  };
  const bool to = is_wider(operands[0], lane->dst), from = is_wider(operands[1], lane->a);
  if (!to && !from) return lane;
  return find_lane_op(fmt::format("{}{}{}", opcode, to ? ":to64" : "", from ? ":from64" : ""));
}

bool FunctionDecoder::decode_lane(const ptx::Instruction& instruction, MicroOp& op) {
  const LaneOp* lane = lane_op_of(instruction);
  if (lane == nullptr || instruction.operands.empty()) return false;
  // Take the type from the table's opcode: there it is the last part.
  const std::string_view last = OpcodeParts(lane->opcode).last();
  const std::string_view type = last.substr(0, last.find(':'));
  size_t next = 0;
  const ptx::Operand& first = instruction.operands[next++];
  const bool is_pair = first.kind == ptx::Operand::Kind::pair;
  if (is_pair && first.elements.size() != 2) return false;
  const auto dst = destination(is_pair ? first.elements[0] : first, lane->dst);
  if (!dst) return false;
  op.operands.dst = *dst;
  if (lane->dst2 != RowType::none) {
    const auto dst2 = is_pair ? destination(first.elements[1], lane->dst2)
                              : std::optional(scratch_row(lane->dst2));
    if (!dst2) return false;
    op.operands.dst2 = *dst2;
  } else if (is_pair) {
    return false;
  }
  op.kind = op.flags & kGuarded ? OpKind::lane_guarded : OpKind::lane;
  const RowType types[] = {lane->a, lane->b, lane->c, lane->d};
  RowOffset* const rows[] = {&op.operands.a, &op.operands.b, &op.operands.c, &op.operands.d};
  for (int i = 0; i < 4 && types[i] != RowType::none; ++i) {
    if (next == instruction.operands.size()) return false;
    const ptx::Operand& operand = instruction.operands[next++];
    const auto row = source(operand, types[i], type);
    if (!row) return false;
    *rows[i] = *row;
    if (operand.negated && types[i] == RowType::pred) {
      op.kind = OpKind::lane_not;  // detail = !target, then the operation
      op.target = *row;
      op.detail = *rows[i] = allocate(RowType::pred).offset;
    }
  }
  op.full = lane->full;
  op.masked = lane->masked;
  if (owner_.options().shows_rounded_operands && is_rounded(instruction.opcode) &&
      op.kind != OpKind::lane_not) {
    op.kind = OpKind::lane_guarded;
    op.flags |= kShowsOperands;
  }
  return next == instruction.operands.size();
}

void FunctionDecoder::link_blocks() {
  const uint32_t first = code_.first, end = static_cast<uint32_t>(program_.ops.size());
  code_.end = end;
  const uint32_t count = end - first;
  std::vector<bool> leader(count + 1, false);
  leader[0] = true;
  for (const auto& [label, index] : function_.labels)
    leader[std::min(index, count - 1)] = true;
  for (uint32_t i = 0; i < count; ++i) {
    if (ends_block(program_.ops[first + i].kind)) leader[i + 1] = true;
  }
  std::vector<uint32_t> block_of(count), begin;
  for (uint32_t i = 0; i < count; ++i) {
    if (leader[i]) begin.push_back(i);
    block_of[i] = static_cast<uint32_t>(begin.size() - 1);
  }
  begin.push_back(count);
  std::vector<std::vector<uint32_t>> successors(begin.size() - 1);
  for (size_t b = 0; b + 1 < begin.size(); ++b) {
    const MicroOp& last = program_.ops[first + begin[b + 1] - 1];
    if (falls_through(last) && begin[b + 1] < count)
      successors[b].push_back(static_cast<uint32_t>(b + 1));
    if (last.kind == OpKind::branch) successors[b].push_back(block_of[last.target - first]);
    if (last.kind == OpKind::branch_indexed) {
      for (const uint32_t target : program_.branch_tables[last.detail])
        successors[b].push_back(block_of[target - first]);
    }
  }
  const std::vector<uint32_t> ranks = order_blocks(successors);
  program_.block_end.resize(end, end);
  program_.rank.resize(end, 0);
  for (size_t b = 0; b + 1 < begin.size(); ++b) {
    for (uint32_t i = begin[b]; i < begin[b + 1]; ++i) {
      program_.block_end[first + i] = first + begin[b + 1];
      program_.rank[first + i] = first + ranks[b];  // unique across functions
    }
    MicroOp& last = program_.ops[first + begin[b + 1] - 1];
    if (last.kind == OpKind::branch && ranks[block_of[last.target - first]] <= ranks[b])
      last.flags |= kBackEdge;
    plan_block(program_, first + begin[b], first + begin[b + 1]);
  }
}

}  // namespace ridge::machine
