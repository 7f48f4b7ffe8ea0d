#include "virtual_gpu/observe/races/global_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <thread>

#include "virtual_gpu/machine/program/pointer_roots.h"
#include "virtual_gpu/observe/races/global_region.h"
#include "virtual_gpu/observe/races/global_step.h"
#include "virtual_gpu/observe/races/shadow_pool.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessKind;
using machine::AccessShape;
using machine::PointerRoots;

// Maximum number of yields per launch while a store of another launch is in progress.
constexpr int kMaxYields = 2000;

// The words of 8 bytes, of the parameters in the set `roots`, that may be addresses.
template <class F>
void for_each_root(const CheckedLaunch& launch, uint64_t roots, F&& visit) {
  const auto& parameters = launch.program->info.parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!(roots >> std::min<size_t>(i, 63) & 1)) continue;
    for (uint32_t at = 0; at + 8 <= parameters[i].bytes; at += 8) {
      uint64_t address = 0;
      if (parameters[i].offset + at + 8 > launch.config.parameters.size()) break;
      std::memcpy(&address, launch.config.parameters.data() + parameters[i].offset + at, sizeof address);
      visit(address);
    }
  }
}

}  // namespace

GlobalShadow::GlobalShadow(const CheckedLaunch& launch) : launch_(launch), yields_left_(kMaxYields) {
  const machine::Dim3& grid = launch.config.grid;
  base_ = ShadowPool::get().take_serials(uint64_t{grid.x} * grid.y * grid.z);
  const PointerRoots& roots = machine::pointer_roots(*launch.program);
  // Races are possible in an array that is written by something other than atomics.
  uint64_t watched = roots.written | (roots.written_strongly & roots.read);
  if (roots.read & PointerRoots::kUnknown) watched |= roots.written_strongly;
  if ((roots.written | roots.written_strongly) & PointerRoots::kUnknown) watched = ~0ull;
  for_each_root(launch, watched, [&](uint64_t address) { watch(address); });
  if (watched & (PointerRoots::kVariables | PointerRoots::kUnknown)) {
    for (const auto& [begin, bytes] : launch.memory.live_ranges(
             watched & PointerRoots::kUnknown ? std::string_view() : std::string_view("__device__")))
      watch(begin);
  }
  // An array that is read through one parameter may be written through another.
  const bool reads_anything = roots.read & (PointerRoots::kVariables | PointerRoots::kUnknown);
  for (const auto& region : regions_)
    region->may_be_read = reads_anything;
  for_each_root(launch, roots.read, [&](uint64_t address) {
    if (Region* region = region_at(address)) region->may_be_read = true;
  });
}

GlobalShadow::~GlobalShadow() = default;

void GlobalShadow::watch(uint64_t address) {
  const machine::DeviceMemory::Range range = launch_.memory.range_of(address);
  if (range.end == 0 || region_at(address) != nullptr) return;
  auto region = std::make_unique<Region>(range.begin, range.end, launch_.has_fences, base_);
  if (!region->usable(launch_.has_fences)) return;
  const auto after = std::find_if(regions_.begin(), regions_.end(),
                                  [&](const auto& other) { return other->begin > region->begin; });
  regions_.insert(after, std::move(region));
}

GlobalShadow::Region* GlobalShadow::region_at(uint64_t address) const {
  auto after = std::upper_bound(regions_.begin(), regions_.end(), address,
                                [](uint64_t at, const auto& region) { return at < region->begin; });
  if (after == regions_.begin()) return nullptr;
  Region* found = std::prev(after)->get();
  return address < found->end ? found : nullptr;
}

bool GlobalShadow::has_region(uint64_t lowest, uint64_t end, machine::DeviceMemory::Range& skip) const {
  uint64_t before = 0, behind = ~0ull;
  for (const auto& region : regions_) {
    if (region->begin < end && lowest < region->end) return true;
    if (region->end <= lowest) before = std::max(before, region->end);
    if (region->begin >= end) behind = std::min(behind, region->begin);
  }
  skip = {before, behind};
  return false;
}

// True when a store writes the value that is already there.
bool GlobalShadow::changes_nothing(const Region& region, uint64_t word, const Step& step) {
  if (!step.writes || step.values.op == nullptr) return false;
  const std::byte* mine = step.values.at(step.lane, step.byte);
  const auto* there = reinterpret_cast<const std::byte*>(region.begin + word * 4 +
                                                         static_cast<uint64_t>(std::countr_zero(step.bytes)));
  return mine != nullptr && std::memcmp(mine, there, static_cast<size_t>(std::popcount(step.bytes))) == 0;
}

// The same after a write by another block. A store is reported before it is executed: the other's
// store may still be pending, and write the same value.
bool GlobalShadow::is_value_preserving(const Region& region, uint64_t word, const Step& step) const {
  if (changes_nothing(region, word, step)) return true;
  if (launch_.config.host_threads == 1 || step.values.op == nullptr) return false;
  while (yields_left_.load(std::memory_order_relaxed) > 0) {
    yields_left_.fetch_sub(1, std::memory_order_relaxed);
    std::this_thread::yield();
    if (changes_nothing(region, word, step)) return true;
  }
  return false;
}

bool GlobalShadow::conflicts(const Region& region, uint64_t word, BlockCell other, uint32_t other_epoch,
                             bool other_writes, const Step& step) const {
  if ((other.bytes() & step.bytes) == 0 || (other.strong() && step.strong)) return false;
  // A read before an atomic update (the first guess of a compare-and-swap loop, `if (x < best)
  // atomicMin`).
  if ((other.strong() && !step.writes) || (step.strong && !other_writes)) return false;
  if (step.visitor.vector_clock != nullptr && launch_.has_fences &&
      const_cast<BlockMessages&>(messages).ordered(*step.visitor.vector_clock, other.serial() - base_, other_epoch))
    return false;
  // Writing the same value again does no harm.
  if (!step.writes) return !other.preserved_value();
  return !(other_writes ? is_value_preserving(region, word, step) : changes_nothing(region, word, step));
}

void GlobalShadow::note(const Region& region, uint64_t word, BlockCell other, bool other_writes,
                        const Step& step, std::optional<GlobalRace>& found) const {
  GlobalRace race;
  race.address = region.begin + word * 4;
  const bool is_high = step.serial > other.serial();
  race.high = is_high ? step.cell() : other;
  race.low = is_high ? other : step.cell();
  race.high_writes = is_high ? step.writes : other_writes;
  race.low_writes = is_high ? other_writes : step.writes;
  race.high_block = race.high.serial() - base_;
  race.low_block = race.low.serial() - base_;
  if (!found || race.before(*found)) found = race;
}

std::optional<GlobalRace> GlobalShadow::within_block(const Region& region, uint64_t word, BlockCell other,
                                                     bool other_writes, const Step& step) const {
  if (!step.visitor.compares_threads ||
      other.synchronizations() == BlockCell::kManySynchronizations)
    return std::nullopt;
  if (other.thread() / 32 == step.thread / 32 ||
      other.synchronizations() != step.visitor.synchronizations)
    return std::nullopt;
  if (!conflicts(region, word, other, ~0u, other_writes, step)) return std::nullopt;
  GlobalRace race;
  race.address = region.begin + word * 4;
  race.high_block = race.low_block = step.visitor.block;
  race.high = step.cell();
  race.low = other;
  race.high_writes = step.writes;
  race.low_writes = other_writes;
  return race;
}

std::optional<GlobalRace> GlobalShadow::write_word(Region& region, uint64_t word, const Step& step,
                                                   std::optional<GlobalRace>& found) {
  open_line(region, word / Region::kLineWords);
  const BlockCell writer{region.writers[word]};
  const auto put = [&] {
    BlockCell cell = step.cell();
    if (writer.serial() >= base_ && !writer.preserved_value()) cell.bits &= ~1ull;
    region.writers[word] = cell.bits;
    region.set_epoch(word, Region::kWriter, step.epoch());
  };
  if (writer.serial() == step.serial) {
    if (auto race = within_block(region, word, writer, true, step)) return race;
    // An atomic does not hide the block's own plain store.
    if (!step.strong || writer.strong()) put();
  } else if (writer.serial() < base_) {
    put();
  } else if (!conflicts(region, word, writer, region.epoch(word, Region::kWriter), true, step)) {
    // If atomics of several blocks conflict, keep that of the lowest block, in any order of
    // execution.
    if (launch_.has_fences || !writer.strong() || step.serial < writer.serial()) put();
  } else {
    note(region, word, writer, true, step, found);
    if (step.serial < writer.serial()) put();
  }
  if (!region.was_read.load(std::memory_order_relaxed)) return std::nullopt;
  for (const auto slot : {Region::kReader, Region::kMoreReader}) {
    const BlockCell reader{(slot == Region::kReader ? region.readers : region.more_readers)[word]};
    if (reader.serial() < base_) continue;
    if (reader.serial() == step.serial) {
      if (auto race = within_block(region, word, reader, false, step)) return race;
    } else if (conflicts(region, word, reader, region.epoch(word, slot), false, step)) {
      note(region, word, reader, false, step, found);
    }
  }
  return std::nullopt;
}

std::optional<GlobalRace> GlobalShadow::read_word(Region& region, uint64_t word, const Step& step,
                                                  std::optional<GlobalRace>& found) {
  open_line(region, word / Region::kLineWords);
  const BlockCell writer{region.writers[word]};
  if (writer.serial() == step.serial) {
    if (auto race = within_block(region, word, writer, true, step)) return race;
  } else if (writer.serial() >= base_ &&
             conflicts(region, word, writer, region.epoch(word, Region::kWriter), true, step)) {
    note(region, word, writer, true, step, found);
  }
  const uint32_t epoch = step.epoch();
  const BlockCell first{region.readers[word]};
  const auto is_free = [&](BlockCell cell, Region::Slot slot) {
    if (cell.serial() < base_ || cell.serial() == step.serial) return true;
    return launch_.has_fences && step.visitor.vector_clock != nullptr &&
           messages.ordered(*step.visitor.vector_clock, cell.serial() - base_, region.epoch(word, slot));
  };
  if (is_free(first, Region::kReader)) {
    region.readers[word] = step.cell().bits;
    region.set_epoch(word, Region::kReader, epoch);
    return std::nullopt;
  }
  region.has_two_readers.store(true, std::memory_order_relaxed);
  if (step.serial < first.serial()) {
    region.more_readers[word] = first.bits;
    region.set_epoch(word, Region::kMoreReader, region.epoch(word, Region::kReader));
    region.readers[word] = step.cell().bits;
    region.set_epoch(word, Region::kReader, epoch);
    return std::nullopt;
  }
  const BlockCell second{region.more_readers[word]};
  if (is_free(second, Region::kMoreReader) || step.serial < second.serial()) {
    region.more_readers[word] = step.cell().bits;
    region.set_epoch(word, Region::kMoreReader, epoch);
  }
  return std::nullopt;
}

std::optional<GlobalRace> GlobalShadow::access(const Access& access, uint32_t site, const Visitor& visitor,
                                               const StoredValues& values, std::optional<GlobalRace>& found) {
  const bool atomic = access.kind == AccessKind::atomic || access.kind == AccessKind::reduction;
  Step step{access, visitor, values, base_ + static_cast<uint32_t>(visitor.block), site, 0, 0, 0,
            15,     false,   false};
  step.strong = atomic || access.ordering != machine::Ordering::weak;
  step.writes = access.kind != AccessKind::load;
  const bool alone = launch_.config.host_threads == 1;
  const int first = std::countr_zero(access.mask), count = std::popcount(access.mask);
  const uint64_t begin = address_of(access, first);
  const bool run = access.bytes >= 4 && access.shape != AccessShape::scattered &&
                   access.stride == access.bytes &&
                   access.mask == (count == 32 ? ~0u : ((1u << count) - 1) << first);
  if (run) {
    Region* region = region_at(begin);
    const uint64_t bytes = static_cast<uint64_t>(count) * access.bytes;
    if (region != nullptr && begin + bytes <= region->end) {
      if (!step.writes) region->record_read();
      const uint64_t word = (begin - region->begin) / 4, words = bytes / 4;
      const uint64_t stripe = word / Region::kStripeWords,
                     last_stripe = (word + words - 1) / Region::kStripeWords;
      step.lane = static_cast<uint32_t>(first);
      step.thread = access.warp * 32 + step.lane;
      const bool two = !alone && last_stripe != stripe, turned = last_stripe % 64 < stripe % 64;
      if (!alone) region->lock(turned ? last_stripe : stripe);  // the same order in all threads
      if (two) region->lock(turned ? stripe : last_stripe);
      const bool done = write_run(*region, word, words, step);
      if (two) region->unlock(last_stripe);
      if (!alone) region->unlock(stripe);
      if (done) return std::nullopt;
    }
  }
  Region* region = nullptr;
  Region::Hold hold;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t address = address_of(access, lane);
    if (region == nullptr || address < region->begin || address >= region->end) region = region_at(address);
    if (region == nullptr || address + access.bytes > region->end) continue;
    if (!step.writes) region->record_read();
    step.lane = static_cast<uint32_t>(lane);
    step.thread = access.warp * 32 + step.lane;
    for (uint32_t done = 0; done < access.bytes; done += 4) {
      const uint64_t word = (address + done - region->begin) / 4;
      step.byte = done;
      step.bytes = access.bytes < 4 ? ((1u << access.bytes) - 1) << (address & 3) & 15 : 15;
      step.changes_nothing = region->may_be_read && changes_nothing(*region, word, step);
      if (!alone) hold.take(*region, word / Region::kStripeWords);
      if (auto race =
              step.writes ? write_word(*region, word, step, found) : read_word(*region, word, step, found))
        return race;
    }
  }
  return std::nullopt;
}

}  // namespace ridge::observe
