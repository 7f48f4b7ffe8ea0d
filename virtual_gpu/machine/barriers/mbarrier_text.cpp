// Where an mbarrier is and what it waits for, in words.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "virtual_gpu/machine/barriers/mbarriers.h"
#include "virtual_gpu/machine/faults/fault_text.h"

namespace ridge::machine {

// The object that a lane's address names. It must be in shared memory, inside and aligned.
MbarrierPlace Mbarriers::mbarrier_place(const MemoryOp& op, const Addresses& addresses, int lane,
                                        AccessKind kind) const {
  uint64_t address = addresses.of(lane);
  if (op.space == MemorySpace::generic) {
    const uint64_t window = address_windows().shared;
    if (address < window || address >= window + kSharedWindowBytes) {
      context_.fault(
          Fault::Kind::barrier, context_.culprit(lane),
          fmt::format(
              "Mbarrier: \x01 uses an mbarrier at address {:#x}, which is not in shared memory",
              address),
          "an mbarrier (cuda::barrier of block scope) works in __shared__ memory only");
    }
    address -= window;
  }
  Block& owner = spaces_.owner_of(address, kind, lane);
  const uint64_t offset = address & kSharedOffsetMask;
  BadAccess bad{kind, AccessSpace::shared, offset, 8, context_.launch.shared_bytes, {}};
  if (&owner != context_.block) bad.peer_rank = owner.rank;
  if (offset + 8 > context_.launch.shared_bytes) {
    const FaultText text = out_of_bounds_text(bad);
    context_.fault(Fault::Kind::out_of_bounds, context_.culprit(lane), text.what, text.advice);
  }
  if (offset % 8 != 0) {
    const FaultText text = misaligned_text(bad);
    context_.fault(Fault::Kind::misaligned, context_.culprit(lane), text.what,
                   "align the mbarrier object to 8 bytes");
  }
  return {&owner, static_cast<uint32_t>(offset)};
}

std::string Mbarriers::mbarrier_text(MbarrierPlace place) const {
  return fmt::format("the mbarrier at offset {} of {} shared memory", place.offset,
                     place.block == context_.block
                         ? "the block's"
                         : fmt::format("block {}'s", dim_text(place.block->index)));
}

uint64_t Mbarriers::phase_number(MbarrierPlace place) const {
  const MbarrierPhase& phase = mbarrier_phase(place);
  return phase.phase - phase.first;
}

// ", for phase 3 of the mbarrier at offset 64, which still waits for 1 of its 2 arrivals and 4096 bytes"
std::string Mbarriers::waited_text(const Block& block, const Warp& warp, const Split& split) const {
  const uint32_t waiting = split.mask & warp.mbarrier_waiting;
  if (split.wait != Wait::none || waiting == 0) return {};
  const MbarrierWait& wait = warp.mbarrier_waits[static_cast<size_t>(std::countr_zero(waiting))];
  const Block& owner = *block.cluster->blocks[wait.rank];
  std::string whose =
      &owner == &block ? "" : fmt::format(" of block {}'s shared memory", dim_text(owner.index));
  uint64_t bits = 0, phase = 0;
  std::memcpy(&bits, owner.shared.get() + wait.offset, sizeof bits);
  for (const MbarrierPhase& known : owner.mbarrier_phases) {
    if (known.offset == wait.offset) phase = known.phase - known.first;
  }
  const std::string object_text = fmt::format("the mbarrier at offset {}{}", wait.offset, whose);
  if (!Mbarrier::is_live(bits)) return ", for " + object_text + ", which is no mbarrier any more";
  const Mbarrier object = Mbarrier::from_bits(bits);
  if (object.parity != wait.phase_parity)
    return fmt::format(", for phase {} of {}, which has completed meanwhile", phase - 1,
                       object_text);
  std::string text =
      fmt::format(", for phase {} (parity {}) of {}, which still needs {} of its {} arrivals",
                  phase, object.parity ? 1 : 0, object_text, object.pending, object.expected);
  if (object.bytes > 0) text += fmt::format(" and {} bytes", object.bytes);
  if (object.bytes < 0)
    text += fmt::format("; {} bytes more landed than were expected", -object.bytes);
  return text;
}

}  // namespace ridge::machine
