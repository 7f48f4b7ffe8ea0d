// Branches, calls and returns.
#include "virtual_gpu/machine/decode/decoder.h"

namespace ridge::machine {
namespace {

using OperandKind = ptx::Operand::Kind;

// The device runtime's functions with which kernels launch kernels. The launches of a block run in
// the order of its calls, whatever the stream, so streams and events are only handles.
Builtin device_runtime_function(std::string_view name) {
  constexpr std::string_view kPrefix = "__cudaCDP2", kPlainPrefix = "cuda", kPerThread = "_ptsz";
  if (name.starts_with(kPrefix))
    name.remove_prefix(kPrefix.size());
  else if (name.starts_with(kPlainPrefix))
    name.remove_prefix(kPlainPrefix.size());
  else
    return Builtin::none;
  if (name.ends_with(kPerThread)) name.remove_suffix(kPerThread.size());
  if (name == "GetParameterBufferV2") return Builtin::prepare_child;
  if (name == "LaunchDeviceV2") return Builtin::launch_child;
  if (name == "GetLastError") return Builtin::last_error;
  if (name == "PeekAtLastError") return Builtin::peek_error;
  if (name == "StreamCreateWithFlags" || name == "EventCreateWithFlags") return Builtin::make_handle;
  if (name == "StreamDestroy" || name == "EventDestroy" || name == "EventRecord" ||
      name == "EventRecordWithFlags" || name == "StreamWaitEvent")
    return Builtin::use_handle;
  if (name == "Malloc") return Builtin::device_malloc;
  if (name == "Free") return Builtin::device_free;
  if (name == "GetErrorString") return Builtin::error_string;
  if (name == "GetErrorName") return Builtin::error_name;
  if (name == "GetDeviceCount") return Builtin::device_count;
  if (name == "GetDevice") return Builtin::current_device;
  if (name == "GraphSetConditional") return Builtin::set_conditional;
  return Builtin::none;
}

}  // namespace

Builtin builtin_named(std::string_view name) {
  if (name == "vprintf") return Builtin::print;
  if (name == "__assertfail") return Builtin::assert_fail;
  if (name == "malloc") return Builtin::allocate;
  if (name == "free") return Builtin::release;
  return device_runtime_function(name);
}

bool FunctionDecoder::decode_branch(const ptx::Instruction& instruction, const OpcodeParts&, MicroOp& op) {
  if (instruction.operands.size() != 1) return false;
  const auto label = function_.labels.find(instruction.operands[0].name);
  if (label == function_.labels.end()) return false;
  op.kind = OpKind::branch;
  op.target = code_.first + label->second;
  return true;
}

bool FunctionDecoder::decode_branch_indexed(const ptx::Instruction& instruction, const OpcodeParts&,
                                            MicroOp& op) {
  if (instruction.operands.size() != 2) return false;
  const auto index = source(instruction.operands[0], RowType::b32);
  std::vector<uint32_t> table;
  if (const auto targets = function_.branch_targets.find(instruction.operands[1].name);
      targets != function_.branch_targets.end()) {
    for (const std::string_view name : targets->second) {
      const auto label = function_.labels.find(name);
      if (label == function_.labels.end()) return false;
      table.push_back(code_.first + label->second);
    }
  }
  if (!index || table.empty()) return false;
  op.kind = OpKind::branch_indexed;
  op.operands.a = *index;
  op.detail = static_cast<uint32_t>(program_.branch_tables.size());
  program_.branch_tables.push_back(std::move(table));
  return true;
}

bool FunctionDecoder::decode_end(const ptx::Instruction&, const OpcodeParts& parts, MicroOp& op) {
  if (parts.base() == "ret") op.kind = OpKind::ret;
  if (parts.base() == "exit") op.kind = OpKind::exit;
  if (parts.base() == "trap") op.kind = OpKind::trap;
  if (parts.base() == "brkpt") op.kind = OpKind::breakpoint;
  return true;
}

bool FunctionDecoder::decode_nothing(const ptx::Instruction&, const OpcodeParts&, MicroOp& op) {
  op.kind = OpKind::nothing;
  return true;
}

// Launches run one after the other here, so there is nothing to wait for; observers check the
// accesses before the wait.
bool FunctionDecoder::decode_grid_dependency(const ptx::Instruction&, const OpcodeParts& parts, MicroOp& op) {
  if (!parts.has("wait") && !parts.has("launch_dependents")) return false;
  op.kind = OpKind::grid_dependency;
  op.target = parts.has("wait") ? 1 : 0;
  return true;
}

// A .param variable, or a register or literal as a direct argument.
std::optional<ParameterSlot> FunctionDecoder::argument_slot(const ptx::Operand& operand) {
  if (operand.kind == OperandKind::symbol || operand.kind == OperandKind::reg) {
    if (const auto it = slots_.find(operand.name); it != slots_.end()) return it->second;
  }
  const auto row = any_row(operand, RowType::b32);
  if (!row || (row->type != RowType::b32 && row->type != RowType::b64)) return std::nullopt;
  const bool wide = row->type == RowType::b64;
  return ParameterSlot{row->offset, wide ? 2u : 1u, wide};
}

bool FunctionDecoder::decode_call(const ptx::Instruction& instruction, const OpcodeParts&, MicroOp& op) {
  // call (results), target, (arguments), prototype: the lists are vectors and may be missing.
  CallOp call;
  const ptx::Operand* target = nullptr;
  for (const ptx::Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::vector) {
      auto& list = target == nullptr ? call.results : call.arguments;
      for (const ptx::Operand& element : operand.elements) {
        const auto slot = argument_slot(element);
        if (!slot) return false;
        list.push_back(*slot);
      }
    } else if (target == nullptr) {
      target = &operand;
    }
  }
  if (target == nullptr) return false;
  call.name = target->name;
  if (target->kind == OperandKind::reg && target->name.starts_with('%')) {
    const auto row = source(*target, RowType::b64);
    if (!row) return false;
    call.target = *row;
  } else if (call.builtin = builtin_named(target->name); call.builtin == Builtin::none) {
    const ptx::Function* function = owner_.find_function(target->name);
    if (function == nullptr || function->is_declaration) return false;
    call.callee = owner_.function_index(*function);
  }
  op.kind = OpKind::call;
  op.detail = static_cast<uint32_t>(program_.calls.size());
  program_.calls.push_back(std::move(call));
  return true;
}

}  // namespace ridge::machine
