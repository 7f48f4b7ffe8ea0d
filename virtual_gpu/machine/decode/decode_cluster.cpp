// mbarrier, barrier.cluster, and accesses to the shared memory of other blocks of a cluster.
#include "virtual_gpu/machine/decode/decoder.h"

namespace ridge::machine {
namespace {

using OperandKind = ptx::Operand::Kind;

std::optional<MbarrierAction> action_of(std::string_view name) {
  static const std::unordered_map<std::string_view, MbarrierAction> names{
      {"init", MbarrierAction::init},           {"inval", MbarrierAction::invalidate},
      {"arrive", MbarrierAction::arrive},       {"arrive_drop", MbarrierAction::arrive_drop},
      {"expect_tx", MbarrierAction::expect_tx}, {"complete_tx", MbarrierAction::complete_tx},
      {"test_wait", MbarrierAction::test_wait}, {"try_wait", MbarrierAction::try_wait}};
  const auto it = names.find(name);
  return it == names.end() ? std::nullopt : std::optional(it->second);
}

// Without a state space the address is generic.
MemorySpace object_space(const OpcodeParts& parts) {
  return parts.has("shared") || parts.has("shared::cta") || parts.has("shared::cluster")
             ? MemorySpace::shared
             : MemorySpace::generic;
}

bool is_sink(const ptx::Operand& operand) {
  return operand.kind == OperandKind::sink || (operand.kind == OperandKind::reg && operand.name == "_");
}

}  // namespace

Scope scope_of(const OpcodeParts& parts, Scope without) {
  if (parts.has("cta")) return Scope::block;
  if (parts.has("cluster")) return Scope::cluster;
  if (parts.has("gpu") || parts.has("gl")) return Scope::device;
  return parts.has("sys") ? Scope::system : without;
}

Ordering ordering_of(const OpcodeParts& parts, Ordering without) {
  if (parts.has("acq_rel") || parts.has("sc")) return Ordering::acquire_release;
  if (parts.has("acquire")) return Ordering::acquire;
  if (parts.has("release")) return Ordering::release;
  return parts.has("relaxed") || parts.has("volatile") || parts.has("mmio") ? Ordering::relaxed : without;
}

void FunctionDecoder::add_mbarrier(MicroOp& op, const MbarrierOp& detail) {
  op.kind = detail.action == MbarrierAction::try_wait ? OpKind::mbarrier_try_wait : OpKind::mbarrier;
  op.detail = static_cast<uint32_t>(program_.mbarriers.size());
  program_.mbarriers.push_back(detail);
}

bool FunctionDecoder::decode_mbarrier(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                      MicroOp& op) {
  const auto& operands = instruction.operands;
  if (operands.empty()) return false;
  MbarrierOp detail;
  if (parts[1] == "pending_count") {
    if (operands.size() != 2) return false;
    const auto count = destination(operands[0], RowType::b32);
    const auto state = source(operands[1], RowType::b64);
    if (!count || !state) return false;
    detail.action = MbarrierAction::pending_count;
    detail.result = *count;
    detail.state = *state;
    add_mbarrier(op, detail);
    return true;
  }
  const auto action = action_of(parts[1]);
  if (!action) return false;
  detail.action = *action;
  const bool waits = *action == MbarrierAction::test_wait || *action == MbarrierAction::try_wait;
  const bool arrives = *action == MbarrierAction::arrive || *action == MbarrierAction::arrive_drop;
  detail.ordering = ordering_of(parts, waits ? Ordering::acquire : Ordering::release);
  detail.expects = arrives && parts.has("expect_tx");
  detail.may_complete = !parts.has("noComplete");
  size_t next = 0;
  if (operands[0].kind != OperandKind::address) {  // the result
    ++next;
    if (waits || !is_sink(operands[0])) {
      const auto result = destination(operands[0], waits ? RowType::pred : RowType::b64);
      if (!result || (!waits && !arrives)) return false;
      detail.result = *result;
    }
  }
  if (waits && detail.result == kNoRow) return false;
  if (next >= operands.size() || !place(operands[next++], object_space(parts), detail.place)) return false;
  if (next < operands.size()) {
    const ptx::Operand& operand = operands[next++];
    const bool has_state = waits && !parts.has("parity");
    const auto row = source(operand, has_state ? RowType::b64 : RowType::b32);
    if (!row) return false;
    (has_state ? detail.state : waits ? detail.parity : detail.count) = *row;
  } else if (!arrives && *action != MbarrierAction::invalidate) {
    return false;
  }
  if (detail.expects && detail.count == kNoRow) return false;
  // The remaining operand is try_wait's suspend-time hint, which has no effect here.
  if (next + (*action == MbarrierAction::try_wait ? 1 : 0) < operands.size()) return false;
  add_mbarrier(op, detail);
  return true;
}

// cp.async.mbarrier.arrive{.noinc}
bool FunctionDecoder::decode_async_arrive(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                          MicroOp& op) {
  MbarrierOp detail;
  detail.action = MbarrierAction::async_arrive;
  detail.counts_itself = !parts.has("noinc");
  if (instruction.operands.size() != 1 || !place(instruction.operands[0], object_space(parts), detail.place))
    return false;
  add_mbarrier(op, detail);
  return true;
}

bool FunctionDecoder::decode_cluster_barrier(const OpcodeParts& parts, MicroOp& op) {
  const bool arrives = parts.has("arrive");
  if (!arrives && !parts.has("wait")) return false;
  op.kind = arrives ? OpKind::cluster_arrive : OpKind::cluster_wait;
  op.detail = static_cast<uint32_t>(program_.cluster_barriers.size());
  program_.cluster_barriers.push_back({parts.has("aligned"), !parts.has("relaxed")});
  return true;
}

// setmaxnreg: only the operand is checked; the registers of a running kernel are not limited.
bool FunctionDecoder::decode_register_count(const ptx::Instruction& instruction, const OpcodeParts&,
                                            MicroOp& op) {
  if (instruction.operands.size() != 1 || instruction.operands[0].kind != OperandKind::integer) return false;
  const int64_t count = instruction.operands[0].integer;
  op.kind = OpKind::nothing;
  return count >= 24 && count <= 256 && count % 8 == 0;
}

bool FunctionDecoder::decode_rank_of_address(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                             MicroOp& op) {
  if (instruction.operands.size() != 2) return false;
  const bool wide = parts.last() == "u64";
  const auto dst = destination(instruction.operands[0], RowType::b32);
  const auto address = source(instruction.operands[1], wide ? RowType::b64 : RowType::b32);
  if (!dst || !address) return false;
  op.kind = OpKind::rank_of_address;
  op.operands.dst = *dst;
  op.operands.a = *address;
  op.detail = (wide ? 1u : 0u) | (parts.has("shared::cluster") ? 0u : 2u);
  return true;
}

// st.async [address], value, [mbarrier] and red.async.
bool FunctionDecoder::decode_store_async(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                         MicroOp& op) {
  const auto& operands = instruction.operands;
  if (operands.size() != 3 || !parts.has("mbarrier::complete_tx::bytes")) return false;
  AsyncStoreOp store;
  store.reduces = parts.base() == "red";
  MemoryOp& memory = store.value.place;
  if (!transfer_type(parts, memory) || !values(operands[1], false, memory)) return false;
  if (!place(operands[0], MemorySpace::shared, memory) ||
      !place(operands[2], MemorySpace::shared, store.mbarrier))
    return false;
  memory.access_bytes = static_cast<uint32_t>(memory.element_bytes) * memory.count;
  if (memory.element_bytes < 4 || memory.access_bytes > 16) return false;
  if (store.reduces && !atomic_kind(parts, store.value)) return false;
  store.value.a = memory.values;
  op.kind = OpKind::store_async;
  op.detail = static_cast<uint32_t>(program_.async_stores.size());
  program_.async_stores.push_back(store);
  return true;
}

}  // namespace ridge::machine
