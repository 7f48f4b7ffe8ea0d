// Moves between registers that are neither arithmetic nor memory operations.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/memory/address_windows.h"

namespace ridge::machine {

void Core::pack(const PackOp& op, uint32_t mask) const {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    std::byte value[16] = {};
    for (size_t part = 0; part < op.parts.size(); ++part) {
      if (op.parts[part] == kNoRow) continue;
      std::memcpy(value + part * op.part_bytes,
                  context_.registers + op.parts[part] + lane * op.part_register_bytes,
                  op.part_bytes);
    }
    std::memcpy(context_.registers + op.wide + lane * op.wide_register_bytes, value,
                op.wide_register_bytes);
  }
}

void Core::unpack(const PackOp& op, uint32_t mask) const {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    std::byte value[16];
    std::memcpy(value, context_.registers + op.wide + lane * op.wide_register_bytes, op.wide_bytes);
    for (size_t part = 0; part < op.parts.size(); ++part) {
      if (op.parts[part] == kNoRow) continue;
      std::byte extended[16] = {};
      std::memcpy(extended, value + part * op.part_bytes, op.part_bytes);
      std::memcpy(context_.registers + op.parts[part] + lane * op.part_register_bytes, extended,
                  op.part_register_bytes);
    }
  }
}

void Core::is_space(const MicroOp& op, uint32_t mask) const {
  const AddressWindows& windows = address_windows();
  uint64_t begin = windows.begin, end = windows.end;
  const auto space = static_cast<MemorySpace>(op.detail);
  if (space == MemorySpace::shared) begin = windows.shared, end = begin + kSharedWindowBytes;
  if (space == MemorySpace::local) begin = windows.local, end = begin + kLocalWindowBytes;
  if (space == MemorySpace::parameter)
    begin = windows.parameter, end = begin + kParameterWindowBytes;
  const uint64_t own = (uint64_t{context_.block->rank} + 1) << kSharedRankShift;
  const bool outside = space == MemorySpace::global || space == MemorySpace::constant;
  const uint64_t* address = context_.row<uint64_t>(op.operands.a);
  uint32_t result = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    bool inside = address[lane] >= begin && address[lane] < end;
    if (op.target == 1) {  // shared::cta: only the own block
      const uint64_t rank = (address[lane] - begin) & ~kSharedOffsetMask;
      inside = inside && (rank == 0 || rank == own);
    }
    if (inside != outside) result |= 1u << lane;
  }
  uint32_t& dst = *context_.row<uint32_t>(op.operands.dst);
  dst = (dst & ~mask) | (result & mask);
}

// mapa: the same offset in the shared memory of the block with the given rank.
void Core::map_shared(const MicroOp& op, uint32_t mask) {
  const uint32_t* rank = context_.row<uint32_t>(op.operands.b);
  const uint64_t window = address_windows().shared;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    if (rank[lane] >= kLargestRank) context_.rank_beyond = rank[lane];
    const uint64_t block = std::min<uint64_t>(uint64_t{rank[lane]} + 1, kLargestRank + 1) << kSharedRankShift;
    if ((op.detail & 1) == 0) {
      context_.row<uint32_t>(op.operands.dst)[lane] = static_cast<uint32_t>(
          block | (context_.row<uint32_t>(op.operands.a)[lane] & kSharedOffsetMask));
    } else if ((op.detail & 2) == 0) {
      context_.row<uint64_t>(op.operands.dst)[lane] =
          block | (context_.row<uint64_t>(op.operands.a)[lane] & kSharedOffsetMask);
    } else {
      context_.row<uint64_t>(op.operands.dst)[lane] =
          window +
          (block | ((context_.row<uint64_t>(op.operands.a)[lane] - window) & kSharedOffsetMask));
    }
  }
}

// A clock of about 1.7 GHz, derived from the host's time.
void Core::read_clock(const MicroOp& op, uint32_t mask) {
  const uint64_t cycles = static_cast<uint64_t>(context_.launch.elapsed_ns()) * 17 / 10;
  uint64_t value = cycles;
  switch (static_cast<ClockKind>(op.detail)) {
    case ClockKind::clock32:
    case ClockKind::clock64:
      break;
    case ClockKind::clock_high:
      value = cycles >> 32;
      break;
    case ClockKind::nanoseconds:
      value = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    if (op.target == 1)
      context_.row<uint64_t>(op.operands.dst)[lane] = value;
    else
      context_.row<uint32_t>(op.operands.dst)[lane] =
          static_cast<uint32_t>(op.target == 2 ? value >> 32 : value);
  }
}

}  // namespace ridge::machine
