// What an executor remembers of each memory instruction: always its last access, or nothing.
#include <algorithm>
#include <bit>
#include <limits>

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {
namespace {

// After so many misses in a row an instruction is left alone until the count has gone round.
constexpr uint8_t kPatience = 16;

// Distances of the active lanes from the first one's address; false when one does not fit.
template <class Word>
bool measure(const std::byte* row, KnownAccess& known) {
  using Signed = std::make_signed_t<Word>;
  const Word* addresses = reinterpret_cast<const Word*>(row);
  Word* apart = reinterpret_cast<Word*>(known.apart);
  const Word first = addresses[known.first];
  bool is_near = true;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    apart[lane] = static_cast<Word>(addresses[lane] - first);
    const bool active = known.mask >> lane & 1;
    const int64_t distance = active ? static_cast<Signed>(apart[lane]) : 0;
    known.near_apart[lane] = static_cast<int32_t>(distance);
    is_near &= known.near_apart[lane] == distance;
  }
  return is_near;
}

RowMove load_move(const MemoryOp& op, KnownAccess& known, uint64_t width, bool is_near,
                  const KnownAccessLoops& loops) {
  const bool uniform = known.shape == AccessShape::uniform;
  const bool side_by_side = known.shape == AccessShape::strided && known.stride == op.access_bytes;
  if (op.element_bytes == 8) {
    if (uniform) return loops.load_same64;
    return side_by_side && op.count == 1 ? loops.load_row64 : nullptr;
  }
  if (uniform) return loops.load_same32;
  if (side_by_side && op.count == 1) return loops.load_row32;
  if (side_by_side && op.count == 2) return loops.load_split2;
  if (side_by_side && op.count == 4) return loops.load_split4;
  if (!is_near) return nullptr;
  const bool whole_words = std::all_of(std::begin(known.near_apart), std::end(known.near_apart),
                                       [](int32_t distance) { return distance % 4 == 0; });
  if (width > 31 * 4 || !whole_words) return loops.load_near32;
  known.window = 0;
  for (int32_t& distance : known.near_apart) {
    distance = (distance + static_cast<int32_t>(known.below)) / 4;
    known.window |= 1u << distance;
  }
  return loops.load_window32;
}

RowMove store_move(const MemoryOp& op, const KnownAccess& known, const KnownAccessLoops& loops) {
  if (known.shape != AccessShape::strided || known.stride != op.access_bytes) return nullptr;
  if (op.element_bytes == 8) return op.count == 1 ? loops.store_row64 : nullptr;
  return op.count == 1   ? loops.store_row32
         : op.count == 2 ? loops.store_join2
         : op.count == 4 ? loops.store_join4
                         : nullptr;
}

}  // namespace

void Core::forget_accesses() {
  for (KnownAccess& known : known_)
    known.mask = 0;
}

// Before the access is made: it may overwrite its own address.
void Core::learn(const MemoryOp& op, AccessKind kind, const Addresses& addresses, uint32_t mask) {
  KnownAccess& known = known_[op.cache];
  known.mask = 0;
  if (wants_values_ || known.misses++ >= kPatience) return;
  const AddressSummary& s = addresses.summary;
  DeviceMemory::Range inside = caches_[op.cache];
  if (op.space == MemorySpace::shared)
    inside = shared_range(op);
  else if (op.space == MemorySpace::local || op.space == MemorySpace::parameter)
    return;
  const uint64_t end = s.highest + op.access_bytes;
  if (s.lowest < inside.begin || end > inside.end || end <= s.lowest || (s.bits & (op.access_bytes - 1)) != 0)
    return;
  known.mask = mask;
  if (observer_ != nullptr) {
    known.quiet = quiet_ + pc_;
    known.quiet->be_told();  // what was agreed on is for accesses like the one before
  }
  known.first = static_cast<uint8_t>(std::countr_zero(mask));
  known.shape = s.shape;
  known.stride = s.stride;
  const uint64_t first = addresses.of(known.first);
  known.below = first - s.lowest;
  known.to_lane_0 = static_cast<uint64_t>(s.stride) * known.first;
  known.from = inside.begin + known.below;
  known.span = inside.end - (end - first) - known.from;
  known.offset = static_cast<uint64_t>(op.offset);
  known.below_alignment = op.access_bytes - 1;
  known.place = op.seen_place;
  known.is_wide = op.wide_address;
  known.is_fixed = op.fixed_address;
  known.is_shared = op.space == MemorySpace::shared;
  known.first_cell = op.address + known.first * (op.wide_address ? 8u : 4u);
  known.count = op.count;
  known.row = op.values[0];
  std::copy(op.values.begin(), op.values.end(), known.values);
  bool is_near = true;
  if (!op.fixed_address) {
    is_near = op.wide_address ? measure<uint64_t>(registers_ + op.address, known)
                              : measure<uint32_t>(registers_ + op.address, known);
  }
  known.pattern = ++last_pattern_;
  see_pattern(known);
  known.move = nullptr;
  const bool has_holes = std::any_of(op.values.begin(), op.values.begin() + op.count,
                                     [](RowOffset row) { return row == kNoRow; });
  if (mask == kAllLanes && !has_holes && op.element_bytes >= 4 && op.element_bytes == op.register_bytes &&
      op.element_bytes <= 8) {
    known.move = kind == AccessKind::load ? load_move(op, known, s.highest - s.lowest, is_near, known_loops_)
                                          : store_move(op, known, known_loops_);
  }
}

// The pattern of the address register is the one seen before in this block, when there was one.
void Core::see_pattern(KnownAccess& known) {
  uint64_t& seen = seen_[known.place];
  if (known.place == 0) return;
  if (seen == 0)
    seen = known.pattern;
  else
    known.pattern = seen;
}

void Core::observe_known(const KnownAccess& known, const MemoryOp& op, uint64_t first) {
  Access& access = known_observed_[op.cache];
  pc_ = access.instruction;
  access.base = first - known.to_lane_0;
  access.first = first;
  access.block = block_->linear;
  access.warp = warp_->index;
  access.owner = block_->linear;
  if (known.shape == AccessShape::scattered) return observe_scattered(known, op, access);
  observer_->access(access);
}

void Core::observe_scattered(const KnownAccess& known, const MemoryOp& op, Access& access) {
  alignas(64) uint64_t lanes[kLanes];
  fill_known(known, op, access.first, lanes);
  access.addresses = lanes;
  observer_->access(access);
}

// The known load just observed brought in what nobody wrote.
void Core::poison_known(const MemoryOp& op) {
  const KnownAccess& known = known_[op.cache];
  const uint64_t first = known_observed_[op.cache].first;
  Addresses addresses;
  addresses.summary.shape = known.shape;
  addresses.summary.base = first - known.to_lane_0;
  addresses.summary.stride = known.stride;
  if (known.shape == AccessShape::scattered) fill_known(known, op, first, addresses.lanes);
  poison_loaded(op, addresses, op.space);
}

// What has no loop of its own: the general transfer, told what is known.
void Core::transfer_known(const KnownAccess& known, const MemoryOp& op, uint64_t first) {
  const uint64_t origin = known.is_shared ? reinterpret_cast<uint64_t>(block_->shared.get()) : 0;
  Addresses addresses;
  addresses.summary.shape = known.shape;
  addresses.summary.base = first - known.to_lane_0;
  addresses.summary.stride = known.stride;
  if (known.shape == AccessShape::scattered) fill_known(known, op, first, addresses.lanes);
  op.transfer(op, addresses, origin, known.mask, registers_, loops_);
}

// All 32 addresses; those of idle lanes are anything.
void Core::fill_known(const KnownAccess& known, const MemoryOp& op, uint64_t first, uint64_t* lanes) {
  if (op.wide_address) {
    for (int lane = 0; lane < kLanes; ++lane)
      lanes[lane] = first + known.apart[lane];
    return;
  }
  const auto* apart = reinterpret_cast<const uint32_t*>(known.apart);
  for (int lane = 0; lane < kLanes; ++lane)
    lanes[lane] = static_cast<uint32_t>(first + apart[lane]);
}

}  // namespace ridge::machine
