// atom, red and cp.async.
#include <array>

#include "virtual_gpu/machine/decode/decoder.h"

namespace ridge::machine {
namespace {

using OperandKind = ptx::Operand::Kind;

RowType row_for_bytes(int bytes) {
  return bytes == 16 ? RowType::b128 : bytes == 8 ? RowType::b64 : RowType::b32;
}

}  // namespace

std::optional<AtomicOperation> atomic_operation(const OpcodeParts& parts) {
  static const std::unordered_map<std::string_view, AtomicOperation> names{
      {"add", AtomicOperation::add},       {"min", AtomicOperation::minimum},
      {"max", AtomicOperation::maximum},   {"inc", AtomicOperation::increment},
      {"dec", AtomicOperation::decrement}, {"and", AtomicOperation::bit_and},
      {"or", AtomicOperation::bit_or},     {"xor", AtomicOperation::bit_xor},
      {"exch", AtomicOperation::exchange}, {"cas", AtomicOperation::compare_swap}};
  for (size_t i = 1; i < parts.size(); ++i) {
    if (const auto it = names.find(parts[i]); it != names.end()) return it->second;
  }
  return std::nullopt;
}

std::optional<AtomicType> atomic_type(std::string_view name) {
  static const std::unordered_map<std::string_view, AtomicType> names{
      {"u32", AtomicType::u32},       {"s32", AtomicType::s32},     {"b32", AtomicType::b32},
      {"u64", AtomicType::u64},       {"s64", AtomicType::s64},     {"b64", AtomicType::b64},
      {"b128", AtomicType::b128},     {"f32", AtomicType::f32},     {"f64", AtomicType::f64},
      {"f16", AtomicType::f16},       {"f16x2", AtomicType::f16x2}, {"bf16", AtomicType::bf16},
      {"bf16x2", AtomicType::bf16x2}, {"b16", AtomicType::b16}};
  const auto it = names.find(name);
  return it == names.end() ? std::nullopt : std::optional(it->second);
}

bool FunctionDecoder::atomic_kind(const OpcodeParts& parts, AtomicOp& atomic) {
  const auto operation = atomic_operation(parts);
  const auto type = atomic_type(parts.last());
  if (!operation || !type) return false;
  atomic.operation = *operation;
  atomic.type = *type;
  return true;
}

// The manual's examples write atom.global.v4.f32.add, its grammar atom.global.add.v4.f32, and ptxas
// accepts both: moves the type to the end.
static std::string with_type_last(const OpcodeParts& parts) {
  size_t type = parts.size() - 1;
  while (type > 0 && !atomic_type(parts[type]))
    --type;
  std::string text(parts.base());
  const auto append = [&](size_t i) {
    text += '.';
    text += parts[i];
  };
  for (size_t i = 1; i < parts.size(); ++i)
    if (i != type) append(i);
  if (type != 0) append(type);
  return text;
}

bool FunctionDecoder::decode_atomic(const ptx::Instruction& instruction, const OpcodeParts& given,
                                    MicroOp& op) {
  const std::string opcode = with_type_last(given);
  const OpcodeParts parts(opcode);
  const bool is_atom = parts.base() == "atom";
  const size_t address_at = is_atom ? 1 : 0;
  if (parts.has("async")) return !is_atom && decode_store_async(instruction, parts, op);
  if (instruction.operands.size() < address_at + 2) return false;
  AtomicOp atomic;
  if (!atomic_kind(parts, atomic) || !transfer_type(parts, atomic.place)) return false;
  atomic.place.ordering = ordering_of(parts, Ordering::relaxed);
  atomic.place.scope = scope_of(parts, Scope::device);
  atomic.place.sign_extend = false;

  const MemorySpace space = parts.has("global") ? MemorySpace::global
                            : parts.has("shared") || parts.has("shared::cta") || parts.has("shared::cluster")
                                ? MemorySpace::shared
                                : MemorySpace::generic;
  if (!place(instruction.operands[address_at], space, atomic.place)) return false;
  atomic.place.values.fill(kNoRow);
  if (is_atom && !values(instruction.operands[0], true, atomic.place)) {
    if (instruction.operands[0].kind != OperandKind::sink) return false;
    atomic.place.values.fill(kNoRow);
  }
  const RowType row_type = row_for_bytes(atomic.place.element_bytes);
  const ptx::Operand& value = instruction.operands[address_at + 1];
  const bool is_vector = value.kind == OperandKind::vector;
  if (is_vector ? value.elements.size() != atomic.place.count : atomic.place.count != 1) return false;
  for (size_t i = 0; i < atomic.place.count; ++i) {
    const auto row = source(is_vector ? value.elements[i] : value, row_type);
    if (!row) return false;
    atomic.a[i] = *row;
  }
  atomic.place.register_bytes = static_cast<uint8_t>(row_type == RowType::b128  ? 16
                                                     : row_type == RowType::b64 ? 8
                                                                                : 4);
  if (atomic.operation == AtomicOperation::compare_swap) {
    if (instruction.operands.size() < address_at + 3) return false;
    const auto row = source(instruction.operands[address_at + 2], row_type);
    if (!row) return false;
    atomic.b = *row;
  }
  atomic.place.cache = program_.cache_count++;
  op.kind = OpKind::atomic;
  if (atomic.place.space == MemorySpace::global || atomic.place.space == MemorySpace::generic)
    op.flags |= kSignals;
  const bool is_counter = atomic.operation == AtomicOperation::add ||
                          atomic.operation == AtomicOperation::increment ||
                          atomic.operation == AtomicOperation::decrement;
  if ((op.flags & kSignals) != 0 && is_counter && atomic.place.values[0] != kNoRow) op.flags |= kTakesWork;
  op.detail = static_cast<uint32_t>(program_.atomics.size());
  program_.atomics.push_back(atomic);
  return true;
}

bool FunctionDecoder::decode_async_copy(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                        MicroOp& op) {
  if (parts.has("bulk")) return decode_bulk(instruction, parts, op);
  if (parts[1] != "async") return false;
  if (parts.has("mbarrier")) return decode_async_arrive(instruction, parts, op);
  const auto& operands = instruction.operands;
  if (parts.has("commit_group")) {
    op.kind = OpKind::async_commit;
    return true;
  }
  if (parts.has("wait_group") || parts.has("wait_all")) {
    op.kind = OpKind::async_wait;
    op.detail = parts.has("wait_all") || operands.empty() ? 0 : static_cast<uint32_t>(operands[0].integer);
    op.target = parts.has("wait_all") ? 1 : 0;  // wait_all also waits for copies that were never committed
    return true;
  }
  if (operands.size() < 3 || operands[2].kind != OperandKind::integer) return false;
  AsyncCopyOp copy;
  copy.bytes = static_cast<uint32_t>(operands[2].integer);
  if (copy.bytes != 4 && copy.bytes != 8 && copy.bytes != 16) return false;
  for (MemoryOp* side : {&copy.source, &copy.destination}) {
    side->element_bytes = static_cast<uint8_t>(copy.bytes);
    side->access_bytes = copy.bytes;
    side->cache = program_.cache_count++;
  }
  if (!place(operands[0], MemorySpace::shared, copy.destination)) return false;
  if (!place(operands[1], MemorySpace::global, copy.source)) return false;
  if (operands.size() > 3) {
    if (const auto row = source(operands[3], RowType::b32))
      copy.source_bytes = *row;
    else if (operands[3].kind == OperandKind::reg &&
             !predicate(operands[3], copy.ignore, copy.ignore_negated)) {
      // The remaining operand is a 64-bit cache policy, which has no effect here.
      copy.ignore = kNoRow;
    }
  }
  // A cache policy as the fourth operand is a 64-bit register, so it cannot be confused with a byte
  // count.
  op.kind = OpKind::async_copy;
  op.detail = static_cast<uint32_t>(program_.async_copies.size());
  program_.async_copies.push_back(copy);
  return true;
}

}  // namespace ridge::machine
