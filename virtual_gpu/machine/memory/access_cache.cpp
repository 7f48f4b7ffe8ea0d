// The inline caches of an executor's memory instructions: each holds the instruction's last access,
// or nothing.
#include <algorithm>
#include <bit>
#include <limits>

#include "virtual_gpu/machine/memory/memory_unit.h"
#include "virtual_gpu/machine/native/native_code.h"

namespace ridge::machine {
namespace {

// After this many consecutive misses the cache of an instruction is not filled until the 8-bit
// count wraps.
constexpr uint8_t kMaxMisses = 16;

// Distances of the active lanes from the first one's address; false when one does not fit.
template <class Word>
bool measure(const std::byte* row, AccessCache& cached) {
  using Signed = std::make_signed_t<Word>;
  const Word* addresses = reinterpret_cast<const Word*>(row);
  Word* distances = reinterpret_cast<Word*>(cached.distances);
  const Word first = addresses[cached.first];
  bool is_near = true;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    distances[lane] = static_cast<Word>(addresses[lane] - first);
    const bool active = cached.mask >> lane & 1;
    const int64_t distance = active ? static_cast<Signed>(distances[lane]) : 0;
    cached.near_distances[lane] = static_cast<int32_t>(distance);
    is_near &= cached.near_distances[lane] == distance;
  }
  return is_near;
}

RowMove load_move(const MemoryOp& op, AccessCache& cached, uint64_t width, bool is_near,
                  const CachedAccessLoops& loops) {
  const bool uniform = cached.shape == AccessShape::uniform;
  const bool side_by_side =
      cached.shape == AccessShape::strided && cached.stride == op.access_bytes;
  if (op.element_bytes == 8) {
    if (uniform) return loops.load_same64;
    return side_by_side && op.count == 1 ? loops.load_row64 : nullptr;
  }
  if (uniform) return loops.load_same32;
  if (side_by_side && op.count == 1) return loops.load_row32;
  if (side_by_side && op.count == 2) return loops.load_split2;
  if (side_by_side && op.count == 4) return loops.load_split4;
  if (!is_near) return nullptr;
  const bool whole_words =
      std::all_of(std::begin(cached.near_distances), std::end(cached.near_distances),
                  [](int32_t distance) { return distance % 4 == 0; });
  if (width > 31 * 4 || !whole_words) return loops.load_near32;
  cached.window = 0;
  for (int32_t& distance : cached.near_distances) {
    distance = (distance + static_cast<int32_t>(cached.below)) / 4;
    cached.window |= 1u << distance;
  }
  return loops.load_window32;
}

RowMove store_move(const MemoryOp& op, const AccessCache& cached, const CachedAccessLoops& loops) {
  if (cached.shape != AccessShape::strided || cached.stride != op.access_bytes) return nullptr;
  if (op.element_bytes == 8) return op.count == 1 ? loops.store_row64 : nullptr;
  return op.count == 1   ? loops.store_row32
         : op.count == 2 ? loops.store_join2
         : op.count == 4 ? loops.store_join4
                         : nullptr;
}

}  // namespace

AccessCaches::AccessCaches(ExecutionContext& context, AddressSpaces& spaces)
    : context_(context),
      spaces_(spaces),
      cached_loops_(cached_access_loops()),
      access_caches_(context.program.cache_count),
      cached_observations_(context.observer != nullptr ? context.program.cache_count : 0) {
  if (context.observer == nullptr) return;
  elided_ = context.observer->elided_accesses();
  if (elided_ == nullptr) {
    never_elided_.resize(context.program.ops.size());
    elided_ = never_elided_.data();
  }
}

void AccessCaches::refresh() {
  const uint64_t generation = context_.launch.memory.generation();
  if (generation == generation_) return;
  spaces_.forget_allocations();
  clear_access_caches();
  generation_ = generation;
}

void AccessCaches::enter_block() {
  ReadLog* const log =
      context_.observer == nullptr ? nullptr : context_.observer->read_log(context_.block->linear);
  read_log_ = log == nullptr ? &no_log_ : log;
}

void AccessCaches::export_to(NativeContext& native) {
  native.cached = access_caches_.data();
  native.seen = current_patterns_.data();
  native.log = read_log_;
}

void AccessCaches::clear_access_caches() {
  for (AccessCache& cached : access_caches_)
    cached.mask = 0;
}

// Must be called before the access is made, which may overwrite its own address.
void AccessCaches::update_cache(const MemoryOp& op, AccessKind kind, const Addresses& addresses,
                                uint32_t mask) {
  AccessCache& cached = access_caches_[op.cache];
  cached.mask = 0;
  if (context_.wants_values || cached.misses++ >= kMaxMisses) return;
  const AddressSummary& s = addresses.summary;
  DeviceMemory::Range inside = spaces_.allocation(op.cache);
  if (op.space == MemorySpace::shared)
    inside = spaces_.shared_range(op);
  else if (op.space == MemorySpace::local || op.space == MemorySpace::parameter)
    return;
  const uint64_t end = s.highest + op.access_bytes;
  if (s.lowest < inside.begin || end > inside.end || end <= s.lowest ||
      (s.bits & (op.access_bytes - 1)) != 0)
    return;
  cached.mask = mask;
  if (context_.observer != nullptr) {
    cached.elided = elided_ + context_.pc;
    cached.elided->stop_eliding();  // the agreed terms are for accesses like the previous one
  }
  cached.first = static_cast<uint8_t>(std::countr_zero(mask));
  cached.shape = s.shape;
  cached.stride = s.stride;
  const uint64_t first = addresses.of(cached.first);
  cached.below = first - s.lowest;
  cached.to_lane_0 = static_cast<uint64_t>(s.stride) * cached.first;
  cached.from = inside.begin + cached.below;
  cached.span = inside.end - (end - first) - cached.from;
  cached.offset = static_cast<uint64_t>(op.offset);
  cached.below_alignment = op.access_bytes - 1;
  cached.place = op.pattern_slot;
  cached.is_wide = op.wide_address;
  cached.is_fixed = op.fixed_address;
  cached.is_shared = op.space == MemorySpace::shared;
  cached.first_cell = op.address + cached.first * (op.wide_address ? 8u : 4u);
  cached.count = op.count;
  cached.row = op.values[0];
  std::copy(op.values.begin(), op.values.end(), cached.values);
  bool is_near = true;
  if (!op.fixed_address) {
    is_near = op.wide_address ? measure<uint64_t>(context_.registers + op.address, cached)
                              : measure<uint32_t>(context_.registers + op.address, cached);
  }
  cached.pattern = ++last_pattern_;
  share_pattern(cached);
  cached.move = nullptr;
  const bool has_holes = std::any_of(op.values.begin(), op.values.begin() + op.count,
                                     [](RowOffset row) { return row == kNoRow; });
  // Vectors that other threads may access at the same time have a transfer of their own.
  const bool is_shared_vector = op.count > 1 && op.ordering != Ordering::weak;
  if (mask == kAllLanes && !has_holes && !is_shared_vector && op.element_bytes >= 4 &&
      op.element_bytes == op.register_bytes && op.element_bytes <= 8) {
    cached.move = kind == AccessKind::load
                      ? load_move(op, cached, s.highest - s.lowest, is_near, cached_loops_)
                      : store_move(op, cached, cached_loops_);
  }
}

// Uses the pattern of the address register that was seen before in this block, if there was one.
void AccessCaches::share_pattern(AccessCache& cached) {
  uint64_t& seen = current_patterns_[cached.place];
  if (cached.place == 0) return;
  if (seen == 0)
    seen = cached.pattern;
  else
    cached.pattern = seen;
}

void AccessCaches::observe_cached(const AccessCache& cached, const MemoryOp& op, uint64_t first) {
  Access& access = cached_observations_[op.cache];
  context_.pc = access.instruction;
  access.base = first - cached.to_lane_0;
  access.first = first;
  access.block = context_.block->linear;
  access.warp = context_.warp->index;
  access.owner = context_.block->linear;
  if (cached.shape == AccessShape::scattered) return observe_scattered(cached, op, access);
  context_.observer->access(access);
}

void AccessCaches::observe_scattered(const AccessCache& cached, const MemoryOp& op,
                                     Access& access) {
  alignas(64) uint64_t lanes[kLanes];
  fill_cached_addresses(cached, op, access.first, lanes);
  access.addresses = lanes;
  context_.observer->access(access);
}

// The general transfer, for accesses without a specialised loop.
void MemoryUnit::transfer_cached(const AccessCache& cached, const MemoryOp& op, uint64_t first) {
  const uint64_t origin =
      cached.is_shared ? reinterpret_cast<uint64_t>(context_.block->shared.get()) : 0;
  Addresses addresses;
  addresses.summary.shape = cached.shape;
  addresses.summary.base = first - cached.to_lane_0;
  addresses.summary.stride = cached.stride;
  if (cached.shape == AccessShape::scattered)
    caches_.fill_cached_addresses(cached, op, first, addresses.lanes);
  op.transfer(op, addresses, origin, cached.mask, context_.registers, context_.loops);
}

// All 32 addresses; those of inactive lanes are unspecified.
void AccessCaches::fill_cached_addresses(const AccessCache& cached, const MemoryOp& op,
                                         uint64_t first, uint64_t* lanes) {
  if (op.wide_address) {
    for (int lane = 0; lane < kLanes; ++lane)
      lanes[lane] = first + cached.distances[lane];
    return;
  }
  const auto* distances = reinterpret_cast<const uint32_t*>(cached.distances);
  for (int lane = 0; lane < kLanes; ++lane)
    lanes[lane] = static_cast<uint32_t>(first + distances[lane]);
}

}  // namespace ridge::machine
