#include "virtual_gpu/observe/uninitialised/written_check.h"

#include <algorithm>
#include <bit>

#include "virtual_gpu/observe/races/shared/shared_cells.h"
#include "virtual_gpu/observe/vector_clones.h"

namespace ridge::observe {
using machine::Access;
using machine::AccessKind;
using machine::AccessShape;

namespace {

RIDGE_VECTOR void bounds_of_warp(const uint64_t* addresses, uint64_t& lowest, uint64_t& highest) {
  uint64_t low = ~0ull, high = 0;
  for (int lane = 0; lane < 32; ++lane) {
    low = addresses[lane] < low ? addresses[lane] : low;
    high = addresses[lane] > high ? addresses[lane] : high;
  }
  lowest = low;
  highest = high;
}

}  // namespace

void GlobalWritten::scattered_bounds(const Access& access, uint64_t& lowest, uint64_t& end) {
  lowest = ~0ull;
  end = 0;
  if (access.mask == ~0u) {
    bounds_of_warp(access.addresses, lowest, end);
  } else {
    for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
      lowest = std::min(lowest, access.addresses[std::countr_zero(rest)]);
      end = std::max(end, access.addresses[std::countr_zero(rest)]);
    }
  }
  end += access.bytes;
}

void GlobalWritten::learn(Known& known, uint64_t address) {
  if (++known.misses < known.look_after) return;
  known.misses = 0;
  known.look_after = std::min(known.look_after * 2, 1u << 20);
  const machine::DeviceMemory::Range range = memory_.range_of(address);
  if (range.end == 0 || !memory_.written().covers(range.begin, range.end - range.begin)) return;
  const uint64_t hole = memory_.written().first_unwritten(range.begin, range.end);
  if (hole > address) known = {range.begin, hole, 0, known.look_after};
}

void GlobalWritten::load(const Access& access, UndefinedLanes& undefined) {
  Known& known = known_[access.instruction];
  uint64_t lowest, end;
  bounds(access, lowest, end);
  if (lowest >= known.begin && end <= known.end) return;
  machine::WrittenMap& written = memory_.written();
  if (!written.covers(lowest, end - lowest)) return;
  learn(known, lowest);
  const uint64_t span = uint64_t{access.bytes} * static_cast<uint64_t>(std::popcount(access.mask));
  if (end - lowest <= span && written.all_written(lowest, end - lowest)) return;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint32_t all = access.bytes == 32 ? ~0u : (1u << access.bytes) - 1;
    const uint32_t missing = all & ~written.written_bits(address_of(access, lane), access.bytes);
    if (missing == 0) continue;
    undefined.lanes |= 1u << lane;
    undefined.bytes[lane] = missing;
  }
}

void GlobalWritten::store(const Access& access, const UndefinedLanes& undefined) {
  Known& known = known_[access.instruction];
  uint64_t lowest, end;
  bounds(access, lowest, end);
  if (lowest >= known.begin && end <= known.end) return;
  machine::WrittenMap& written = memory_.written();
  if (!written.covers(lowest, end - lowest)) return;
  const uint64_t span = uint64_t{access.bytes} * static_cast<uint64_t>(std::popcount(access.mask));
  if (undefined.lanes == 0 && access.shape != AccessShape::scattered && end - lowest == span) {
    written.set(lowest, span);
    return;
  }
  learn(known, lowest);
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t address = address_of(access, lane);
    if (!(undefined.lanes >> lane & 1)) {
      written.set(address, access.bytes);
      continue;
    }
    for (uint32_t k = 0; k < access.bytes; ++k) {
      if (!(undefined.bytes[lane] >> k & 1)) written.set(address + k, 1);
    }
  }
}

void LocalWritten::begin(uint32_t warps) {
  lanes_.resize(warps);
  for (auto& bytes : lanes_)
    bytes.clear();
}

void LocalWritten::access(const Access& access, UndefinedLanes& undefined) {
  auto& lanes = lanes_[access.warp];
  const bool is_load = access.kind == AccessKind::load;
  const auto visit = [&](uint64_t offset, uint32_t mask) {
    if (lanes.size() < offset + access.bytes) lanes.resize(offset + access.bytes + 64);
    for (uint32_t k = 0; k < access.bytes; ++k) {
      uint32_t& byte = lanes[offset + k];
      if (!is_load) {
        byte |= mask;
        continue;
      }
      for (uint32_t rest = mask & ~byte; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (!(undefined.lanes >> lane & 1)) undefined.bytes[lane] = 0;
        undefined.lanes |= 1u << lane;
        undefined.bytes[lane] |= 1u << k;
      }
    }
  };
  if (access.shape == AccessShape::uniform) return visit(access.base, access.mask);
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    visit(address_of(access, lane), 1u << lane);
  }
}

}  // namespace ridge::observe
