#include "virtual_gpu/observe/counts/read_patterns.h"

#include <algorithm>
#include <bit>

#include "virtual_gpu/observe/selective_observer.h"
#include "virtual_gpu/observe/races/shared/shared_shadow.h"

namespace ridge::observe {

using machine::Access;
using machine::AccessShape;

bool AccessPattern::fits(const Access& access) const {
  if (access.mask != mask || access.bytes != bytes || access.shape != shape) return false;
  // The alignment decides whether the access is split.
  if (SharedShadow::wants_groups(access) == groups.is_simple) return false;
  if (shape != AccessShape::scattered) return shape == AccessShape::uniform || access.stride == stride;
  uint32_t differ = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    differ |= static_cast<uint32_t>(access.addresses[lane] - access.first) ^ apart[lane];
  }
  return differ == 0;
}

Access AccessPattern::load_at(uint64_t first, uint32_t warp, std::array<uint64_t, 32>& addresses) const {
  Access access;
  access.instruction = instruction;
  access.space = machine::AccessSpace::shared;
  access.shape = shape;
  access.mask = mask;
  access.bytes = bytes;
  access.stride = stride;
  access.first = first;
  access.base = first - to_base;
  access.warp = warp;
  if (shape == AccessShape::scattered && groups.is_simple) {
    for (size_t lane = 0; lane < 32; ++lane)
      addresses[lane] = static_cast<uint32_t>(first + apart[lane]);
  }
  access.addresses = addresses.data();
  return access;
}

namespace {

bool is_distinct(const Access& access) {
  std::array<uint64_t, 32> addresses;
  machine::fill_addresses(access, addresses.data());
  std::array<uint64_t, 32> active;
  size_t count = 0;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
    active[count++] = addresses[static_cast<size_t>(std::countr_zero(rest))];
  std::sort(active.begin(), active.begin() + static_cast<ptrdiff_t>(count));
  for (size_t k = 1; k < count; ++k) {
    if (active[k] - active[k - 1] < access.bytes) return false;
  }
  return true;
}

}  // namespace

AccessPattern& AccessPatterns::add(Kept& kept, const Access& access, uint32_t site) {
  const size_t slot = kept.patterns.size() < kMax ? kept.patterns.size() : kept.oldest;
  if (slot == kept.patterns.size()) kept.patterns.push_back(std::make_unique<AccessPattern>());
  AccessPattern& pattern = *kept.patterns[slot];
  pattern = AccessPattern{};
  pattern.id = access.instruction * kMax + static_cast<uint32_t>(slot);
  pattern.instruction = access.instruction;
  pattern.site = site;
  pattern.mask = access.mask;
  pattern.bytes = access.bytes;
  pattern.shape = access.shape;
  pattern.stride = access.shape == AccessShape::strided ? access.stride : 0;
  pattern.to_base = access.shape == AccessShape::scattered ? 0 : access.first - access.base;
  const ByteRange bytes = bytes_of(access);
  pattern.below = static_cast<uint32_t>(access.first - bytes.lowest);
  pattern.span = static_cast<uint32_t>(bytes.end - bytes.lowest);
  if (access.shape == AccessShape::scattered) {
    for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      pattern.apart[lane] = static_cast<uint32_t>(access.addresses[lane] - access.first);
    }
  }
  pattern.is_distinct = is_distinct(access);
  if (SharedShadow::wants_groups(access))
    pattern.groups.find(access);
  else
    pattern.groups.is_known = pattern.groups.is_simple = true;
  return pattern;
}

}  // namespace ridge::observe
