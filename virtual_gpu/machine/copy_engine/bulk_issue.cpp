// Issues cp.async.bulk and cp.reduce.async.bulk: the copy is checked and queued. Its bytes move
// later (bulk_move.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/copy_engine/bulk_bytes.h"
#include "virtual_gpu/machine/copy_engine/copy_engine.h"

namespace ridge::machine {
namespace {

constexpr uint32_t kBoxAlignment = 128, kPlainAlignment = 16, kMbarrierAlignment = 8;

// The reduction's type for the elements of a tensor; b16: none.
AtomicType reduction_type(TensorElement element) {
  switch (element) {
    case TensorElement::u32:
      return AtomicType::u32;
    case TensorElement::s32:
      return AtomicType::s32;
    case TensorElement::u64:
      return AtomicType::u64;
    case TensorElement::s64:
      return AtomicType::s64;
    case TensorElement::f16:
      return AtomicType::f16;
    case TensorElement::bf16:
      return AtomicType::bf16;
    case TensorElement::f64:
      return AtomicType::f64;
    case TensorElement::u8:
    case TensorElement::u16:
      return AtomicType::b16;
    default:
      return AtomicType::f32;
  }
}

}  // namespace

void CopyEngine::bulk_copy(const MicroOp& op, uint32_t mask) {
  const BulkOp& bulk = context_.program.bulk_copies[op.detail];
  for (; mask != 0; mask &= mask - 1)
    issue_bulk(bulk, std::countr_zero(mask));
}

void CopyEngine::read_box(const BulkOp& op, BulkCopy& copy, int lane) const {
  copy.box = std::make_shared<TensorBox>();
  copy.box->layout = tensor_layout(op.map, lane);
  check_bulk_box(op, copy.box->layout, lane);
  for (size_t i = 0; i < op.rank; ++i)
    copy.box->start[i] = context_.row<int32_t>(op.start[i])[lane];
  check_bulk_start(*copy.box, lane);
  for (size_t i = 0; i < op.offsets.size(); ++i)
    copy.box->offsets[i] =
        op.offsets[i] == kNoRow ? 0 : context_.row<uint32_t>(op.offsets[i])[lane] & 0xffffu;
  // A size that exceeds shared memory in any case is refused below.
  copy.bytes = static_cast<uint32_t>(std::min<uint64_t>(copy.box->layout.copy_bytes(), 1u << 31));
  if (op.reduces) copy.type = reduction_type(copy.box->layout.element);
}

void CopyEngine::issue_bulk(const BulkOp& op, int lane) {
  BulkCopy copy;
  copy.direction = op.direction;
  copy.reduces = op.reduces;
  copy.operation = op.operation;
  copy.type = op.type;
  copy.lane = static_cast<uint8_t>(lane);
  copy.warp = context_.warp->index;
  copy.instruction = context_.pc;
  copy.issuer = context_.block->linear;
  copy.source_block = context_.block;
  if (op.is_tensor) {
    read_box(op, copy, lane);
  } else {
    copy.bytes = context_.row<uint32_t>(op.bytes)[lane];
    if (copy.bytes % kPlainAlignment != 0) {
      bulk_fault(
          Fault::Kind::misaligned, lane,
          fmt::format(
              "Misaligned: \x01 asks for a bulk copy of {} bytes, which is not a multiple of 16",
              copy.bytes),
          "bulk copies move multiples of 16 bytes: copy the rest with ordinary loads and stores");
    }
  }
  if (op.reduces && !is_reduction({copy.operation, copy.type})) {
    bulk_fault(
        Fault::Kind::unknown_instruction, lane,
        "Reduction: \x01 asks the copy engine for a reduction that it does not have for these elements",
        "look at the instruction's and the tensor map's element type: floating-point elements take add "
        "(f16 and bf16 also min, max), 8- and 16-bit integers none");
  }
  const uint32_t alignment = op.is_tensor ? kBoxAlignment : kPlainAlignment;
  const bool reads_global =
      op.direction == BulkDirection::load || op.direction == BulkDirection::prefetch;
  if (!op.is_tensor && op.direction != BulkDirection::between_shared) {
    const MemoryOp& global = op.direction == BulkDirection::load
                                 ? op.source
                                 : op.destination;  // of a prefetch, which has it there
    copy.global = lane_address(global, lane);
  }
  if (op.direction == BulkDirection::prefetch) {
    check_bulk_global(copy, AccessKind::load, lane);
    return;
  }
  if (op.direction != BulkDirection::between_shared) {
    check_bulk_global(copy,
                      reads_global ? AccessKind::load
                      : op.reduces ? AccessKind::reduction
                                   : AccessKind::store,
                      lane);
  }
  const auto in_window =
      copy.box == nullptr
          ? copy.bytes
          : static_cast<uint32_t>(std::min<uint64_t>(copy.box->layout.shared_bytes(), 1u << 31));
  if (op.direction != BulkDirection::load) {
    const uint64_t source = lane_address(op.source, lane) & kSharedOffsetMask;
    check_bulk_shared("source", AccessKind::load, source, in_window, alignment, lane);
    copy.source = static_cast<uint32_t>(source);
  }
  if (op.direction == BulkDirection::store) {
    auto& committed = context_.block->bulk.committed;
    if (committed.empty()) committed.resize(size_t{context_.launch.warps} * kLanes);
    copy.group = committed[context_.warp->index * kLanes + static_cast<uint32_t>(lane)];
    notify_step(context_.observer, {AsyncStep::Kind::issue, context_.block->linear,
                                    context_.warp->index, 1u << lane, context_.pc, copy.bytes,
                                    groups_of(Groups::bulk, context_.block->linear,
                                              context_.warp->index, copy.group)});
    notify_bulk_begins(copy, AccessKind::load, *context_.block, copy.source);
    context_.block->bulk.leaving.push_back(std::move(copy));
    return;
  }
  const uint64_t destination = lane_address(op.destination, lane),
                 mbarrier = lane_address(op.mbarrier, lane);
  check_bulk_shared("destination", AccessKind::store, destination & kSharedOffsetMask, in_window,
                    alignment, lane);
  check_bulk_shared("mbarrier", AccessKind::atomic, mbarrier & kSharedOffsetMask, 8,
                    kMbarrierAlignment, lane);
  notify_step(context_.observer, {AsyncStep::Kind::issue,
                                  context_.block->linear,
                                  context_.warp->index,
                                  1u << lane,
                                  context_.pc,
                                  copy.bytes,
                                  {SyncPlace::Kind::mbarrier, context_.block->linear,
                                   mbarrier & kSharedOffsetMask, 0}});
  issue_to_blocks(op, std::move(copy), destination, mbarrier, lane);
}

void CopyEngine::bulk_commit(uint32_t mask) {
  auto& committed = context_.block->bulk.committed;
  if (committed.empty()) committed.resize(size_t{context_.launch.warps} * kLanes);
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  notify_step(
      context_.observer,
      {AsyncStep::Kind::commit, context_.block->linear, context_.warp->index, mask, context_.pc, 0,
       groups_of(Groups::bulk, context_.block->linear, context_.warp->index,
                 committed[context_.warp->index * kLanes + first])});
  for (; mask != 0; mask &= mask - 1)
    ++committed[context_.warp->index * kLanes + static_cast<uint32_t>(std::countr_zero(mask))];
}

// wait_group N: all but the thread's newest N groups have written; with .read they have only read.
void CopyEngine::bulk_wait(const MicroOp& op, uint32_t mask) {
  BulkQueue& queue = context_.block->bulk;
  const bool only_read = op.target == 1;
  notify_step(
      context_.observer,
      {AsyncStep::Kind::wait, context_.block->linear, context_.warp->index, mask, context_.pc, 0,
       groups_of(Groups::bulk, context_.block->linear, context_.warp->index, 0)});
  for (BulkCopy& copy : queue.leaving) {
    if (copy.warp != context_.warp->index || !(mask >> copy.lane & 1)) continue;
    if (copy.group + op.detail >= queue.committed[copy.warp * kLanes + copy.lane]) continue;
    if (!copy.was_read) read_store(*context_.block, copy);
    if (only_read) continue;
    write_store(*context_.block, copy);
    if (context_.observer != nullptr)
      context_.observer->acquired(context_.block->linear, context_.warp->index, 1u << copy.lane,
                                  group_place(copy));
  }
  std::erase_if(queue.leaving, [](const BulkCopy& copy) { return copy.was_written; });
  limit_staged(*context_.block);
  notify_step(
      context_.observer,
      {AsyncStep::Kind::waited, context_.block->linear, context_.warp->index, mask, context_.pc, 0,
       groups_of(Groups::bulk, context_.block->linear, context_.warp->index, 0)});
}

}  // namespace ridge::machine
