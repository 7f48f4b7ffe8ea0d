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
      std::memcpy(&address, launch.config.parameters.data() + parameters[i].offset + at,
                  sizeof address);
      visit(address);
    }
  }
}

}  // namespace

GlobalShadow::GlobalShadow(const CheckedLaunch& launch)
    : launch_(launch), yields_left_(kMaxYields), sets_(launch.has_fences) {
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
             watched & PointerRoots::kUnknown ? std::string_view()
                                              : std::string_view("__device__")))
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

bool GlobalShadow::has_region(uint64_t lowest, uint64_t end,
                              machine::DeviceMemory::Range& skip) const {
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
  const auto* there = reinterpret_cast<const std::byte*>(
      region.begin + word * 4 + static_cast<uint64_t>(std::countr_zero(step.bytes)));
  return mine != nullptr &&
         std::memcmp(mine, there, static_cast<size_t>(std::popcount(step.bytes))) == 0;
}

// The same after a write by another block. A store is reported before it is executed: the other's
// store may still be pending, and write the same value.
bool GlobalShadow::is_value_preserving(const Region& region, uint64_t word,
                                       const Step& step) const {
  if (changes_nothing(region, word, step)) return true;
  if (launch_.config.host_threads == 1 || step.values.op == nullptr) return false;
  while (yields_left_.load(std::memory_order_relaxed) > 0) {
    yields_left_.fetch_sub(1, std::memory_order_relaxed);
    std::this_thread::yield();
    if (changes_nothing(region, word, step)) return true;
  }
  return false;
}

std::optional<GlobalRace> GlobalShadow::access(const Access& access, uint32_t site,
                                               const Visitor& visitor, const StoredValues& values,
                                               std::optional<GlobalRace>& found) {
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
    if (region == nullptr || address < region->begin || address >= region->end)
      region = region_at(address);
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
      if (auto race = step.writes ? write_word(*region, word, step, found)
                                  : read_word(*region, word, step, found))
        return race;
    }
  }
  return std::nullopt;
}

}  // namespace ridge::observe
