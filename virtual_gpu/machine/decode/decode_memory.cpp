// Loads, stores, and address computations.
#include "virtual_gpu/machine/memory/address_windows.h"
#include "virtual_gpu/machine/decode/decoder.h"
#include "virtual_gpu/machine/memory/transfer.h"

namespace ridge::machine {
namespace {

using OperandKind = ptx::Operand::Kind;

MemorySpace space_of(const OpcodeParts& parts) {
  if (parts.has("global")) return MemorySpace::global;
  if (parts.has("shared") || parts.has("shared::cta") || parts.has("shared::cluster"))
    return MemorySpace::shared;
  if (parts.has("local")) return MemorySpace::local;
  if (parts.has("const")) return MemorySpace::constant;
  if (parts.has("param") || parts.has("param::entry") || parts.has("param::func"))
    return MemorySpace::parameter;
  return MemorySpace::generic;
}

bool polls(const OpcodeParts& parts) {
  return parts.has("volatile") || parts.has("acquire") || parts.has("relaxed") || parts.has("mmio");
}

bool may_be_global(MemorySpace space) {
  return space == MemorySpace::global || space == MemorySpace::generic;
}

uint8_t register_bytes(RowType type) {
  if (type == RowType::b32) return 4;
  if (type == RowType::b64) return 8;
  return type == RowType::b128 ? 16 : 0;
}

}  // namespace

uint32_t FunctionDecoder::add_memory(MemoryOp op, AccessKind kind) {
  op.cache = program_.cache_count++;
  op.access_bytes = static_cast<uint32_t>(op.element_bytes) * op.count;
  op.transfer = kind == AccessKind::load ? load_transfer(op) : store_transfer(op);
  program_.memory.push_back(op);
  return static_cast<uint32_t>(program_.memory.size() - 1);
}

// If the address determines the array, the array's bounds apply to the access. The dynamic array
// ends with the block's shared memory.
void FunctionDecoder::bound_to_shared_array(const ptx::Operand& operand, MemoryOp& op) {
  if (op.space != MemorySpace::shared && op.space != MemorySpace::generic) return;
  if (program_.shared_arrays.empty()) return;
  const bool is_register = operand.number != ptx::kNoRegister;
  const SharedArray* array =
      owner_.shared_array(is_register ? shared_origins_[operand.number] : operand.name);
  if (array == nullptr) return;
  op.shared_begin = array->offset;
  op.shared_end = array->bytes == 0 ? kNoSharedArray - 1 : array->offset + array->bytes;
}

bool FunctionDecoder::place(const ptx::Operand& operand, MemorySpace space, MemoryOp& op) {
  op.space = space;
  if (operand.kind != OperandKind::address) return false;
  op.offset = operand.integer;
  if (operand.name.empty()) {
    op.fixed_address = true;
    return true;
  }
  bound_to_shared_array(operand, op);
  if (operand.name[0] == '%') {
    const auto row = register_row(operand);
    if (!row || (row->type != RowType::b64 && row->type != RowType::b32)) return false;
    op.address = row->offset;
    op.wide_address = row->type == RowType::b64;
    return true;
  }
  if (locals_.contains(operand.name)) {
    const auto row = symbol_row(operand.name, 0, RowType::b64);
    op.address = row->offset;
    if (space == MemorySpace::generic) op.space = MemorySpace::local;
    return true;
  }
  if (const auto it = kernel_parameters_.find(operand.name); it != kernel_parameters_.end()) {
    op.fixed_address = true;
    op.offset += static_cast<int64_t>(address_windows().parameter + it->second);
    return true;
  }
  if (const auto shared = owner_.shared_offset(operand.name)) {
    op.fixed_address = true;
    op.offset += *shared;
    if (space == MemorySpace::generic) op.space = MemorySpace::shared;
    return true;
  }
  const auto address = owner_.symbol_address(operand.name);
  if (!address) return false;
  op.fixed_address = true;
  op.offset += static_cast<int64_t>(*address);
  return true;
}

bool FunctionDecoder::transfer_type(const OpcodeParts& parts, MemoryOp& op) {
  const int bits = type_bits(parts.last());
  if (bits < 8) return false;
  op.element_bytes = static_cast<uint8_t>(bits / 8);
  op.sign_extend = parts.last()[0] == 's';
  op.count = 1;
  for (const int width : {2, 4, 8}) {
    if (parts.has(width == 2 ? "v2" : width == 4 ? "v4" : "v8")) op.count = static_cast<uint8_t>(width);
  }
  return op.element_bytes * op.count <= 32;
}

bool FunctionDecoder::values(const ptx::Operand& operand, bool is_destination, MemoryOp& op) {
  const bool is_vector = operand.kind == OperandKind::vector;
  if (is_vector ? operand.elements.size() != op.count : op.count != 1) return false;
  const RowType natural = op.element_bytes == 16  ? RowType::b128
                          : op.element_bytes == 8 ? RowType::b64
                                                  : RowType::b32;
  op.register_bytes = 0;
  for (size_t i = 0; i < op.count; ++i) {
    const ptx::Operand& element = is_vector ? operand.elements[i] : operand;
    if (element.kind == OperandKind::sink || (element.kind == OperandKind::reg && element.name == "_")) {
      op.values[i] = kNoRow;
      continue;
    }
    if (is_destination && element.kind != OperandKind::reg) return false;
    const auto row = any_row(element, natural);
    if (!row || register_bytes(row->type) < op.element_bytes) {
      // A 4-byte register row also holds 1- and 2-byte values; any other register that is too
      // narrow is an error in the PTX.
      if (!row || op.element_bytes > 4 || register_bytes(row->type) == 0) return false;
    }
    if (op.register_bytes != 0 && op.register_bytes != register_bytes(row->type)) return false;
    op.register_bytes = register_bytes(row->type);
    op.values[i] = row->offset;
  }
  if (op.register_bytes == 0) op.register_bytes = register_bytes(natural);
  return true;
}

bool FunctionDecoder::decode_load(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                  MicroOp& op) {
  if (instruction.operands.size() < 2) return false;
  MemoryOp memory;
  if (!transfer_type(parts, memory) || !values(instruction.operands[0], true, memory)) return false;
  const ptx::Operand& address = instruction.operands[1];
  if (address.kind == OperandKind::address && slots_.contains(address.name)) {
    memory.space = MemorySpace::parameter;
    memory.address = slots_[address.name].row;
    memory.offset = address.integer;
    op.kind = OpKind::load_slot;
  } else {
    if (!place(address, space_of(parts), memory)) return false;
    op.kind = memory.space == MemorySpace::parameter && memory.fixed_address ? OpKind::load_parameter
                                                                             : OpKind::load;
    if (op.kind == OpKind::load_parameter) memory.offset -= static_cast<int64_t>(address_windows().parameter);
    if (polls(parts)) op.flags |= kPolls;
    memory.ordering = ordering_of(parts, Ordering::weak);
    memory.scope = scope_of(parts, Scope::system);
  }
  op.detail = add_memory(memory, AccessKind::load);
  op.target = program_.memory[op.detail].cache;
  return true;
}

bool FunctionDecoder::decode_store(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                   MicroOp& op) {
  if (parts.has("async")) return decode_store_async(instruction, parts, op);
  if (instruction.operands.size() < 2 || parts.has("bulk")) return false;
  MemoryOp memory;
  if (!transfer_type(parts, memory) || !values(instruction.operands[1], false, memory)) return false;
  const ptx::Operand& address = instruction.operands[0];
  if (address.kind == OperandKind::address && slots_.contains(address.name)) {
    memory.space = MemorySpace::parameter;
    memory.address = slots_[address.name].row;
    memory.offset = address.integer;
    op.kind = OpKind::store_slot;
  } else {
    if (!place(address, space_of(parts), memory)) return false;
    op.kind = OpKind::store;
    memory.ordering = ordering_of(parts, Ordering::weak);
    if (memory.ordering != Ordering::weak && may_be_global(memory.space)) op.flags |= kSignals;
    memory.scope = scope_of(parts, Scope::system);
  }
  op.detail = add_memory(memory, AccessKind::store);
  op.target = program_.memory[op.detail].cache;
  return true;
}

// cvta.shared.u64 d, a: converts an offset in shared memory to a generic address; cvta.to.shared
// does the reverse.
bool FunctionDecoder::decode_convert_address(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                             MicroOp& op) {
  if (instruction.operands.size() != 2 || parts.last() != "u64") return false;
  uint64_t window = 0;
  const MemorySpace space = space_of(parts);
  if (space == MemorySpace::shared) window = address_windows().shared;
  if (space == MemorySpace::local) window = address_windows().local;
  if (parts.has("to")) window = 0 - window;
  const auto dst = destination(instruction.operands[0], RowType::b64);
  const auto src = source(instruction.operands[1], RowType::b64);
  const LaneOp* lane = find_lane_op(window == 0 ? "mov.u64" : "add.s64");
  if (!dst || !src || lane == nullptr) return false;
  op.operands.dst = *dst;
  op.operands.a = *src;
  if (window != 0) op.operands.b = constant_row(RowType::b64, window);
  op.kind = op.flags & kGuarded ? OpKind::lane_guarded : OpKind::lane;
  op.full = lane->full;
  op.masked = lane->masked;
  return true;
}

bool FunctionDecoder::decode_is_space(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                      MicroOp& op) {
  if (instruction.operands.size() != 2) return false;
  const auto dst = destination(instruction.operands[0], RowType::pred);
  const auto src = source(instruction.operands[1], RowType::b64);
  if (!dst || !src) return false;
  op.kind = OpKind::is_space;
  op.operands.dst = *dst;
  op.operands.a = *src;
  op.detail = static_cast<uint32_t>(space_of(parts));
  op.target = parts.has("shared") || parts.has("shared::cta") ? 1 : 0;
  return true;
}

bool FunctionDecoder::decode_map_shared(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                        MicroOp& op) {
  if (instruction.operands.size() != 3) return false;
  const bool wide = parts.last() == "u64";
  const RowType type = wide ? RowType::b64 : RowType::b32;
  const auto dst = destination(instruction.operands[0], type);
  const auto address = source(instruction.operands[1], type);
  const auto rank = source(instruction.operands[2], RowType::b32);
  if (!dst || !address || !rank) return false;
  op.kind = OpKind::map_shared;
  op.operands.dst = *dst;
  op.operands.a = *address;
  op.operands.b = *rank;
  op.detail = (wide ? 1u : 0u) | (parts.has("shared::cluster") ? 0u : 2u);
  return true;
}

bool FunctionDecoder::decode_prefetch(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                      MicroOp& op) {
  if (parts.has("tensormap")) return decode_tensor_map(instruction, parts, op);
  op.kind = OpKind::nothing;
  return true;
}

// fence.proxy.async orders the two proxies for the executing thread; other fences have a scope.
bool FunctionDecoder::decode_fence(const ptx::Instruction&, const OpcodeParts& parts, MicroOp& op) {
  op.kind = OpKind::fence;
  const bool to_async = parts.has("proxy") && parts.has_prefix("async");
  op.detail = static_cast<uint32_t>(scope_of(parts, to_async ? Scope::block : Scope::system));
  op.target = to_async ? 1 : 0;
  return true;
}

bool FunctionDecoder::decode_stack(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                   MicroOp& op) {
  if (instruction.operands.empty()) return false;
  const RowType type = parts.last() == "u32" ? RowType::b32 : RowType::b64;
  const bool wide = type == RowType::b64;
  op.detail = wide ? 1 : 0;
  if (parts.base() == "stackrestore") {
    const auto src = source(instruction.operands[0], type);
    if (!src) return false;
    op.kind = OpKind::restore_stack;
    op.operands.a = *src;
    return true;
  }
  const auto dst = destination(instruction.operands[0], type);
  if (!dst) return false;
  op.operands.dst = *dst;
  op.kind = OpKind::save_stack;
  if (parts.base() == "stacksave") return true;
  if (instruction.operands.size() < 2) return false;
  const auto bytes = source(instruction.operands[1], type);
  if (!bytes) return false;
  op.kind = OpKind::allocate_stack;
  op.operands.a = *bytes;
  // Every allocation is aligned to 16 bytes unless a larger alignment is requested.
  op.target = 16;
  if (instruction.operands.size() > 2 && instruction.operands[2].integer > 16) {
    op.target = static_cast<uint32_t>(instruction.operands[2].integer);
  }
  return true;
}

}  // namespace ridge::machine
