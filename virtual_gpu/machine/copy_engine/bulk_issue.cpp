// cp.async.bulk and cp.reduce.async.bulk when they are executed: the copy is checked and noted down. Its
// bytes move later (bulk_move.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/copy_engine/bulk_bytes.h"
#include "virtual_gpu/machine/core.h"

namespace ridge::machine {
namespace {

constexpr uint32_t kBoxAlignment = 128, kPlainAlignment = 16, kMbarrierAlignment = 8;

// The reduction's type for the elements of a tensor; b16 stands for none.
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

void Core::bulk_copy(const MicroOp& op, uint32_t mask) {
  const BulkOp& bulk = program_.bulk_copies[op.detail];
  for (; mask != 0; mask &= mask - 1)
    issue_bulk(bulk, std::countr_zero(mask));
}

void Core::read_box(const BulkOp& op, BulkCopy& copy, int lane) const {
  copy.box = std::make_shared<TensorBox>();
  copy.box->layout = tensor_layout(op.map, lane);
  check_bulk_box(op, copy.box->layout, lane);
  for (size_t i = 0; i < op.rank; ++i)
    copy.box->start[i] = row<int32_t>(op.start[i])[lane];
  check_bulk_start(*copy.box, lane);
  for (size_t i = 0; i < op.offsets.size(); ++i)
    copy.box->offsets[i] = op.offsets[i] == kNoRow ? 0 : row<uint32_t>(op.offsets[i])[lane] & 0xffffu;
  // More than shared memory can hold, in any case, is refused below.
  copy.bytes = static_cast<uint32_t>(std::min<uint64_t>(copy.box->layout.copy_bytes(), 1u << 31));
  if (op.reduces) copy.type = reduction_type(copy.box->layout.element);
}

void Core::issue_bulk(const BulkOp& op, int lane) {
  BulkCopy copy;
  copy.direction = op.direction;
  copy.reduces = op.reduces;
  copy.operation = op.operation;
  copy.type = op.type;
  copy.lane = static_cast<uint8_t>(lane);
  copy.warp = warp_->index;
  copy.instruction = pc_;
  copy.issuer = block_->linear;
  copy.source_block = block_;
  if (op.is_tensor) {
    read_box(op, copy, lane);
  } else {
    copy.bytes = row<uint32_t>(op.bytes)[lane];
    if (copy.bytes % kPlainAlignment != 0) {
      bulk_fault(
          Fault::Kind::misaligned, lane,
          fmt::format("Misaligned: \x01 asks for a bulk copy of {} bytes, which is not a multiple of 16",
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
  const bool reads_global = op.direction == BulkDirection::load || op.direction == BulkDirection::prefetch;
  if (!op.is_tensor && op.direction != BulkDirection::between_shared) {
    const MemoryOp& global =
        op.direction == BulkDirection::load ? op.source : op.destination;  // a prefetch has it there, too
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
    auto& committed = block_->bulk.committed;
    if (committed.empty()) committed.resize(size_t{launch_.warps} * kLanes);
    copy.group = committed[warp_->index * kLanes + static_cast<uint32_t>(lane)];
    tell_step(observer_, {AsyncStep::Kind::issue, block_->linear, warp_->index, 1u << lane, pc_, copy.bytes,
                          groups_of(Groups::bulk, block_->linear, warp_->index, copy.group)});
    tell_bulk_begins(copy, AccessKind::load, *block_, copy.source);
    block_->bulk.leaving.push_back(std::move(copy));
    return;
  }
  const uint64_t destination = lane_address(op.destination, lane), mbarrier = lane_address(op.mbarrier, lane);
  check_bulk_shared("destination", AccessKind::store, destination & kSharedOffsetMask, in_window, alignment,
                    lane);
  check_bulk_shared("mbarrier", AccessKind::atomic, mbarrier & kSharedOffsetMask, 8, kMbarrierAlignment,
                    lane);
  tell_step(observer_, {AsyncStep::Kind::issue,
                        block_->linear,
                        warp_->index,
                        1u << lane,
                        pc_,
                        copy.bytes,
                        {SyncPlace::Kind::mbarrier, block_->linear, mbarrier & kSharedOffsetMask, 0}});
  issue_to_blocks(op, std::move(copy), destination, mbarrier, lane);
}

void Core::bulk_commit(uint32_t mask) {
  auto& committed = block_->bulk.committed;
  if (committed.empty()) committed.resize(size_t{launch_.warps} * kLanes);
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  tell_step(observer_, {AsyncStep::Kind::commit, block_->linear, warp_->index, mask, pc_, 0,
                        groups_of(Groups::bulk, block_->linear, warp_->index,
                                  committed[warp_->index * kLanes + first])});
  for (; mask != 0; mask &= mask - 1)
    ++committed[warp_->index * kLanes + static_cast<uint32_t>(std::countr_zero(mask))];
}

// wait_group N: all but the thread's newest N groups have written; with .read they have only read.
void Core::bulk_wait(const MicroOp& op, uint32_t mask) {
  BulkQueue& queue = block_->bulk;
  const bool only_read = op.target == 1;
  tell_step(observer_, {AsyncStep::Kind::wait, block_->linear, warp_->index, mask, pc_, 0,
                        groups_of(Groups::bulk, block_->linear, warp_->index, 0)});
  for (BulkCopy& copy : queue.leaving) {
    if (copy.warp != warp_->index || !(mask >> copy.lane & 1)) continue;
    if (copy.group + op.detail >= queue.committed[copy.warp * kLanes + copy.lane]) continue;
    if (!copy.was_read) read_store(*block_, copy);
    if (only_read) continue;
    write_store(*block_, copy);
    if (observer_ != nullptr)
      observer_->acquired(block_->linear, warp_->index, 1u << copy.lane, group_place(copy));
  }
  std::erase_if(queue.leaving, [](const BulkCopy& copy) { return copy.was_written; });
  limit_staged(*block_);
  tell_step(observer_, {AsyncStep::Kind::waited, block_->linear, warp_->index, mask, pc_, 0,
                        groups_of(Groups::bulk, block_->linear, warp_->index, 0)});
}

}  // namespace ridge::machine
