// cp.async.bulk, cp.reduce.async.bulk, their groups, and the instructions on tensor maps.
#include "virtual_gpu/machine/decode/decoder.h"
#include "virtual_gpu/machine/copy_engine/tensor_map.h"

namespace ridge::machine {
namespace {

using OperandKind = ptx::Operand::Kind;

// Forms of later devices; unknown here, as on the device.
bool is_of_later_device(const OpcodeParts& parts) {
  return parts.has_prefix("cta_group::") || parts.has("tile::gather4") || parts.has("tile::scatter4") ||
         parts.has("cp_mask") || parts.has_prefix("im2col::w") || parts.has("ignore_oob");
}

bool is_space(std::string_view part) {
  return part == "global" || part == "shared::cta" || part == "shared::cluster";
}

// Derived from the order of the two state spaces: destination, then source.
std::optional<BulkDirection> direction_of(const OpcodeParts& parts) {
  if (parts.has("prefetch")) return BulkDirection::prefetch;
  std::string_view spaces[2];
  size_t found = 0;
  for (size_t i = 1; i < parts.size() && found < 2; ++i) {
    if (is_space(parts[i])) spaces[found++] = parts[i];
  }
  if (found != 2) return std::nullopt;
  if (spaces[0] == "global") return BulkDirection::store;
  return spaces[1] == "global" ? BulkDirection::load : BulkDirection::between_shared;
}

}  // namespace

bool FunctionDecoder::decode_bulk(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                  MicroOp& op) {
  if (parts.has("commit_group")) {
    op.kind = OpKind::bulk_commit;
    return true;
  }
  if (!parts.has("wait_group")) return decode_bulk_copy(instruction, parts, op);
  if (instruction.operands.size() != 1) return false;
  op.kind = OpKind::bulk_wait;
  op.detail = static_cast<uint32_t>(instruction.operands[0].integer);
  op.target = parts.has("read") ? 1 : 0;
  return true;
}

bool FunctionDecoder::decode_bulk_copy(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                       MicroOp& op) {
  const auto direction = direction_of(parts);
  if (!direction || is_of_later_device(parts)) return false;
  BulkOp bulk;
  bulk.direction = *direction;
  bulk.is_tensor = parts.has("tensor");
  bulk.is_im2col = parts.has("im2col") || parts.has("im2col_no_offs");
  bulk.multicast = parts.has("multicast::cluster");
  for (MemoryOp* side : {&bulk.destination, &bulk.source, &bulk.map, &bulk.mbarrier})
    side->cache = program_.cache_count++;
  if (parts[1] == "reduce") {
    const auto operation = atomic_operation(parts);
    const auto type = atomic_type(parts.last());
    if (!operation || (!type && !bulk.is_tensor)) return false;
    bulk.reduces = true;
    bulk.operation = *operation;
    if (type && !bulk.is_tensor) bulk.type = *type;
  }
  if (!bulk_operands(instruction, parts, bulk)) return false;
  op.kind = OpKind::bulk_copy;
  op.detail = static_cast<uint32_t>(program_.bulk_copies.size());
  program_.bulk_copies.push_back(bulk);
  return true;
}

// The operands: destination, source, size (unless it is a tensor), mbarrier; then im2col's offsets,
// the mask of blocks, and a cache policy, which has no effect here.
bool FunctionDecoder::bulk_operands(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                    BulkOp& bulk) {
  const auto& operands = instruction.operands;
  size_t next = 0;
  const auto address = [&](MemorySpace space, MemoryOp& side) {
    return next < operands.size() && place(operands[next++], space, side);
  };
  const auto tensor = [&] {
    if (next == operands.size() || operands[next].elements.size() != 1) return false;
    const auto& start = operands[next].elements[0].elements;
    if (start.empty() || start.size() > bulk.start.size()) return false;
    bulk.rank = static_cast<uint8_t>(start.size());
    for (size_t i = 0; i < start.size(); ++i) {
      const auto row = source(start[i], RowType::b32);
      if (!row) return false;
      bulk.start[i] = *row;
    }
    return parts.has(std::string(1, static_cast<char>('0' + bulk.rank)) + "d") &&
           address(MemorySpace::generic, bulk.map);
  };
  const bool to_shared =
      bulk.direction == BulkDirection::load || bulk.direction == BulkDirection::between_shared;
  if (to_shared) {
    if (!address(MemorySpace::shared, bulk.destination)) return false;
    const bool from_global = bulk.direction == BulkDirection::load;
    if (bulk.is_tensor ? !tensor()
                       : !address(from_global ? MemorySpace::global : MemorySpace::shared, bulk.source))
      return false;
  } else {
    if (bulk.is_tensor ? !tensor() : !address(MemorySpace::global, bulk.destination)) return false;
    if (bulk.direction == BulkDirection::store && !address(MemorySpace::shared, bulk.source)) return false;
  }
  if (!bulk.is_tensor) {
    if (next == operands.size()) return false;
    const auto row = source(operands[next++], RowType::b32);
    if (!row) return false;
    bulk.bytes = *row;
  }
  if (to_shared && !address(MemorySpace::shared, bulk.mbarrier)) return false;
  if (parts.has("im2col")) {
    if (next == operands.size() || bulk.rank < 3) return false;
    const ptx::Operand& offsets = operands[next++];
    const bool is_vector = offsets.kind == OperandKind::vector;
    if ((is_vector ? offsets.elements.size() : 1) != bulk.rank - 2u) return false;
    for (size_t i = 0; i < bulk.rank - 2u; ++i) {
      const auto row = source(is_vector ? offsets.elements[i] : offsets, RowType::b32, "u16");
      if (!row) return false;
      bulk.offsets[i] = *row;
    }
  }
  if (!bulk.multicast) return true;
  if (next == operands.size()) return false;
  const auto row = source(operands[next], RowType::b32, "u16");
  if (row) bulk.blocks = *row;
  return row.has_value();
}

bool FunctionDecoder::decode_tensor_map(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                        MicroOp& op) {
  static const std::unordered_map<std::string_view, TensorMapField> fields{
      {"global_address", TensorMapField::address},
      {"rank", TensorMapField::rank},
      {"box_dim", TensorMapField::box},
      {"global_dim", TensorMapField::dim},
      {"global_stride", TensorMapField::stride},
      {"element_stride", TensorMapField::element_stride},
      {"elemtype", TensorMapField::element},
      {"interleave_layout", TensorMapField::interleave},
      {"swizzle_mode", TensorMapField::swizzle},
      {"fill_mode", TensorMapField::fill}};
  const auto& operands = instruction.operands;
  TensorMapOp change;
  const MemorySpace space = parts.has("shared::cta") ? MemorySpace::shared
                            : parts.has("global")    ? MemorySpace::global
                                                     : MemorySpace::generic;
  if (operands.empty()) return false;
  for (MemoryOp* side : {&change.map, &change.source})
    side->cache = program_.cache_count++;
  if (parts.base() == "prefetch") {
    change.kind = TensorMapOp::Kind::prefetch;
    if (!place(operands[0], MemorySpace::generic, change.map)) return false;
  } else if (parts[1] == "cp_fenceproxy") {
    change.kind = TensorMapOp::Kind::copy;
    if (operands.size() != 3 || operands[2].integer != kTensorMapBytes) return false;
    if (!place(operands[0], MemorySpace::global, change.map)) return false;
    if (!place(operands[1], MemorySpace::shared, change.source)) return false;
  } else {
    const auto field = fields.find(parts[3]);
    if (parts[1] != "replace" || parts[2] != "tile" || field == fields.end()) return false;
    change.field = field->second;
    const bool has_ordinal = change.field == TensorMapField::box || change.field == TensorMapField::dim ||
                             change.field == TensorMapField::stride ||
                             change.field == TensorMapField::element_stride;
    if (operands.size() != (has_ordinal ? 3u : 2u) || !place(operands[0], space, change.map)) return false;
    if (has_ordinal) change.ordinal = static_cast<uint32_t>(operands[1].integer);
    change.wide_value = parts.last() == "b64";
    const auto row = source(operands.back(), change.wide_value ? RowType::b64 : RowType::b32);
    if (!row || change.ordinal >= kMaxTensorRank) return false;
    change.value = *row;
  }
  op.kind = OpKind::tensor_map;
  op.detail = static_cast<uint32_t>(program_.tensor_maps.size());
  program_.tensor_maps.push_back(change);
  return true;
}

// A policy tells the caches what to keep. Nothing here reads it, so any fixed value is valid.
bool FunctionDecoder::decode_create_policy(const ptx::Instruction& instruction, const OpcodeParts&,
                                           MicroOp& op) {
  if (instruction.operands.empty()) return false;
  const auto dst = destination(instruction.operands[0], RowType::b64);
  const LaneOp* lane = find_lane_op("mov.u64");
  if (!dst || lane == nullptr) return false;
  op.operands.dst = *dst;
  op.operands.a = constant_row(RowType::b64, 0x10f0000000000000ull);
  op.kind = op.flags & kGuarded ? OpKind::lane_guarded : OpKind::lane;
  op.full = lane->full;
  op.masked = lane->masked;
  return true;
}

}  // namespace ridge::machine
