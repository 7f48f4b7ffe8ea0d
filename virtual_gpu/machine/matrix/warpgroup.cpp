// wgmma: issue by a warp, and its wait, which applies to the whole warpgroup.
//
// A warp that waits for a product is parked until all four warps have issued it; then the rows of
// all four are computed at once. After the wait of one warp the operands may be overwritten,
// however far behind the other warps are.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/matrix/matrix_unit.h"
#include "virtual_gpu/machine/matrix/product.h"
#include "virtual_gpu/machine/matrix/tile_loops.h"
#include "virtual_gpu/machine/matrix/warpgroup_queue.h"

namespace ridge::machine {
namespace {

// The event that describes a wgmma of the running warp to observers.
Product described_product(const WarpgroupEntry& entry, uint64_t block, uint32_t warp) {
  const MatrixOp& op = *entry.op;
  Product product{block, warp, entry.pc, entry.ordinal, {}};
  product.operands[0] = {entry.b_descriptor, op.groups, op.transpose_b};
  if (!op.a_in_registers) product.operands[1] = {entry.a_descriptor, 8, op.transpose_a};
  return product;
}


// The set whose accumulators the registers name; kMaxSets when they have ordinary values.
size_t named_set(const MatrixOp& op, const std::byte* registers) {
  const auto first = [&](size_t word) {
    return *reinterpret_cast<const uint32_t*>(registers + op.d_rows[word]);
  };
  if (!is_undefined_pattern(first(0))) return WarpgroupQueue::kMaxSets;
  return undefined_pattern_name(first(0)) >> 7;
}

}  // namespace

void MatrixUnit::issue_warpgroup(Split& split, const MatrixOp& op) {
  if (!context_.warp->warpgroup) context_.warp->warpgroup = std::make_shared<WarpgroupQueue>();
  WarpgroupQueue& queue = *context_.warp->warpgroup;
  const size_t words = op.d_rows.size();
  check_warpgroup_fence(op);
  ++queue.issued;
  queue.last_pc = context_.pc;
  notify_step(context_.observer, {AsyncStep::Kind::issue, context_.block->linear,
                                  context_.warp->index, kAllLanes, context_.pc, 0,
                                  groups_of(Groups::products, context_.block->linear,
                                            context_.warp->index, queue.committed_groups)});
  size_t set_index = named_set(op, context_.registers);
  if (set_index == WarpgroupQueue::kMaxSets) {
    set_index = 0;
    while (set_index < WarpgroupQueue::kMaxSets && queue.sets[set_index].entries != 0)
      ++set_index;
    if (set_index == WarpgroupQueue::kMaxSets) {
      context_.fault(
          Fault::Kind::trap, context_.culprit(0),
          fmt::format(
              "Too many wgmma in flight: \x01 begins a product with new accumulators while {} others are not "
              "waited for",
              WarpgroupQueue::kMaxSets),
          "close groups with wgmma.commit_group and wait for them with wgmma.wait_group",
          {"too_many_products", {}});
    }
    WarpgroupQueue::Set& set = queue.sets[set_index];
    if (!set.values) set.values = allocate_aligned(kWgmmaMaxGroups * kTile * sizeof(float));
    set.words = static_cast<uint32_t>(words);
    set.type = op.d;
    set.pc = context_.pc;
    set.delivered = nullptr;
    auto* values = reinterpret_cast<float*>(set.values.get());
    for (size_t word = 0; word < words; ++word) {
      uint32_t* const registers = context_.row<uint32_t>(op.d_rows[word]);
      if (op.d == AccumulatorType::f16)
        tile_loops().unpack_halves(registers, values + word * 64, values + word * 64 + 32);
      else
        std::memcpy(values + word * 32, registers, 128);
      std::fill_n(registers, kLanes, undefined_pattern(set_index, word));
    }
  } else {
    const WarpgroupQueue::Set& set = queue.sets[set_index];
    bool same = set.words == words && set.type == op.d && set.entries != 0;
    for (size_t word = 0; same && word < words; ++word)
      same = context_.row<uint32_t>(op.d_rows[word])[0] == undefined_pattern(set_index, word);
    if (!same) {
      context_.fault(
          Fault::Kind::race, context_.culprit(0),
          "Accumulators in flight: \x01 gives a wgmma registers of which another wgmma, not waited for "
          "yet, has some "
          "and in another order or shape",
          "wait for the first with wgmma.wait_group before its accumulators are used in another way",
          {"accumulators_in_flight", {}});
    }
  }
  WarpgroupEntry& entry = queue.entries.emplace_back();
  entry.op = &op;
  entry.frame = context_.frame;
  entry.pc = context_.pc;
  entry.ordinal = queue.issued;
  entry.group = queue.committed_groups;
  entry.set = set_index;
  entry.b_descriptor = context_.row<uint64_t>(op.b_descriptor)[0];
  if (op.a_in_registers) {
    for (size_t i = 0; i < 4; ++i)
      std::memcpy(entry.a[i].data(), context_.row<uint32_t>(op.a_rows[i]), 128);
  } else {
    entry.a_descriptor = context_.row<uint64_t>(op.a_descriptor)[0];
  }
  const uint32_t scale = *context_.row<uint32_t>(op.scale_d);
  entry.scale_d = ((op.scale_d_negated ? ~scale : scale) & 1u) != 0;
  queue.sets[set_index].last = &op;
  queue.sets[set_index].frame = context_.frame;
  ++queue.sets[set_index].entries;
  if (context_.observer != nullptr)
    context_.observer->product(
        described_product(entry, context_.block->linear, context_.warp->index), false);
  // In code compiled for a debugger, accumulators are stored to memory immediately; ptxas then
  // waits after each product.
  if (op.at_once) {
    commit_warpgroup();
    wait_warpgroup(split, 0);
  }
  release_warpgroup();
}

void MatrixUnit::commit_warpgroup() {
  if (!context_.warp->warpgroup) context_.warp->warpgroup = std::make_shared<WarpgroupQueue>();
  WarpgroupQueue& queue = *context_.warp->warpgroup;
  const bool is_empty = queue.entries.empty() || queue.entries.back().group != queue.committed_groups;
  notify_step(context_.observer,
              {AsyncStep::Kind::commit, context_.block->linear, context_.warp->index, kAllLanes,
               context_.pc, 0,
               groups_of(Groups::products, context_.block->linear, context_.warp->index,
                         queue.committed_groups),
               is_empty});
  ++queue.committed_groups;
}

// All but the newest `pending_groups` groups are complete when the split continues; products that
// were never committed are not.
void MatrixUnit::wait_warpgroup(Split& split, uint32_t pending_groups) {
  if (!context_.warp->warpgroup) return;
  WarpgroupQueue& queue = *context_.warp->warpgroup;
  const uint64_t committed = queue.committed_groups;
  queue.complete_groups = std::max(queue.complete_groups,
                                   committed - std::min<uint64_t>(committed, pending_groups));
  notify_step(context_.observer, {AsyncStep::Kind::wait, context_.block->linear,
                                  context_.warp->index, kAllLanes, context_.pc, 0,
                                  groups_of(Groups::products, context_.block->linear,
                                            context_.warp->index, queue.complete_groups)});
  queue.awaited = 0;
  queue.wait_pc = context_.pc;
  for (const WarpgroupEntry& entry : queue.entries) {
    if (entry.group < queue.complete_groups) queue.awaited = entry.ordinal;
  }
  const std::span<Warp> warps = warpgroup_of(*context_.warp);
  if (queue.awaited > issued_by_all(warps)) {
    split.wait = Wait::warpgroup;
    split.pc = context_.pc;
    return;
  }
  if (queue.awaited != 0) make_products(warps, queue.awaited);
  finish_wait(*context_.warp);
}

std::span<Warp> MatrixUnit::warpgroup_of(const Warp& warp) const {
  const size_t first = warp.index / 4 * 4;
  return {context_.block->warps.data() + first,
          std::min<size_t>(4, context_.block->warps.size() - first)};
}

uint64_t MatrixUnit::issued_by_all(std::span<const Warp> warps) {
  uint64_t least = ~0ull;
  for (const Warp& warp : warps)
    least = std::min(least, warp.warpgroup ? warp.warpgroup->issued : 0);
  return least;
}

// Another wgmma was issued: unparks the warps that waited for it.
void MatrixUnit::release_warpgroup() {
  const std::span<Warp> warps = warpgroup_of(*context_.warp);
  const uint64_t issued = issued_by_all(warps);
  for (Warp& warp : warps) {
    if (warp.split_count == 0 || warp.splits[0].wait != Wait::warpgroup ||
        warp.warpgroup->awaited > issued)
      continue;
    make_products(warps, warp.warpgroup->awaited);
    finish_wait(warp);
    warp.splits[0].wait = Wait::none;
    ++warp.splits[0].pc;
    context_.made_progress = true;
  }
}

// Computes the rows of all warps, for all products up to this one.
void MatrixUnit::make_products(std::span<Warp> warps, uint64_t last) {
  for (uint64_t ordinal = warps.front().warpgroup->made + 1; ordinal <= last; ++ordinal) {
    check_same_product(warps, ordinal);
    make_product(warps, ordinal);
    for (Warp& warp : warps)
      warp.warpgroup->made = ordinal;
  }
}

// The warp's wait is over: its registers receive their values.
void MatrixUnit::finish_wait(Warp& warp) {
  WarpgroupQueue& queue = *warp.warpgroup;
  size_t done = 0;
  uint32_t touched = 0;
  for (; done < queue.entries.size() && queue.entries[done].ordinal <= queue.awaited; ++done) {
    const WarpgroupEntry& entry = queue.entries[done];
    check_unchanged(warp, entry);
    if (context_.observer != nullptr)
      context_.observer->product(described_product(entry, context_.block->linear, warp.index),
                                 true);
    touched |= 1u << entry.set;
    --queue.sets[entry.set].entries;
  }
  queue.awaited = 0;
  AsyncStep waited{AsyncStep::Kind::waited, context_.block->linear, warp.index, kAllLanes,
                   queue.wait_pc, 0,
                   groups_of(Groups::products, context_.block->linear, warp.index,
                             queue.complete_groups)};
  waited.drains = done != 0 && done == queue.entries.size();
  notify_step(context_.observer, waited);
  if (done == 0) return;
  queue.entries.erase(queue.entries.begin(),
                      queue.entries.begin() + static_cast<std::ptrdiff_t>(done));
  uint32_t finished = 0;
  for (size_t set = 0; set < WarpgroupQueue::kMaxSets; ++set) {
    if ((touched >> set & 1) && queue.sets[set].entries == 0) finished |= 1u << set;
  }
  if (finished != 0) deliver_accumulators(warp, finished);
}

// Every register that names an accumulator of a finished set receives its value. A name that is in
// no register was overwritten: on a GPU, either value may remain.
void MatrixUnit::deliver_accumulators(const Warp& warp, uint32_t finished) {
  WarpgroupQueue& queue = *warp.warpgroup;
  std::array<std::array<uint64_t, 2>, WarpgroupQueue::kMaxSets> found{};
  for (const auto& frame : warp.frames) {
    const uint32_t bytes = context_.program.functions[frame->function].register_bytes;
    for (uint32_t at = 0; at + 128 <= bytes; at += 64) {
      uint32_t* const registers = reinterpret_cast<uint32_t*>(frame->registers.get() + at);
      const uint32_t value = registers[0];
      if (!is_undefined_pattern(value) || registers[kLanes - 1] != value) continue;
      const uint32_t name = undefined_pattern_name(value), set = name >> 7, word = name & 127u;
      if (!(finished >> set & 1) || word >= queue.sets[set].words) continue;
      const auto* values = reinterpret_cast<const float*>(queue.sets[set].values.get());
      if (queue.sets[set].type == AccumulatorType::f16)
        tile_loops().pack_halves(values + word * 64, values + word * 64 + 32, registers);
      else
        std::memcpy(registers, values + word * 32, 128);
      found[set][word / 64] |= 1ull << word % 64;
    }
  }
  for (size_t set = 0; set < WarpgroupQueue::kMaxSets; ++set) {
    if (!(finished >> set & 1)) continue;
    queue.sets[set].delivered = queue.sets[set].last;
    for (uint32_t word = 0; word < queue.sets[set].words; ++word) {
      if (found[set][word / 64] >> word % 64 & 1) continue;
      context_.fault(
          Fault::Kind::race, Culprit{context_.block, warp.index, 0, queue.sets[set].pc},
          fmt::format(
              "Accumulator in flight: \x01 has written over register {} of the {} that this wgmma "
              "was still to "
              "write",
              word, queue.sets[set].words),
          "do not touch the accumulators between wgmma and wgmma.wait_group, and wait before you set them "
          "to zero",
          {"accumulators_in_flight", {}});
    }
  }
}

}  // namespace ridge::machine
