// Shuffles that read from a lane which does not take part: it is not in the mask, has returned, or never
// existed. The value is undefined; it is followed as one that a load found unwritten, and told where it is
// used.
#include <fmt/format.h>

#include <bit>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/warp/shuffle_source.h"

namespace ridge::machine {

// The lanes of `mask` that read so, and from where. Nearly always the whole warp takes part.
uint32_t Core::absent_sources(const WarpOp& op, uint32_t mask, std::array<uint8_t, kLanes>& sources) const {
  uint32_t named = mask;
  if (op.members != kNoRow) {
    const uint32_t* const members = row<uint32_t>(op.members);
    for (int lane = 0; lane < kLanes; ++lane)
      named &= mask >> lane & 1 ? members[lane] : kAllLanes;
  }
  if (named == kAllLanes) return 0;
  uint32_t absent = 0;
  const uint32_t *b = row<uint32_t>(op.b), *c = row<uint32_t>(op.c);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const ShuffleSource source = shuffle_source(op.mode, lane, b[lane], c[lane]);
    sources[static_cast<size_t>(lane)] = static_cast<uint8_t>(source.lane);
    if (source.inside && !(group_of(op, lane, mask) >> source.lane & 1)) absent |= 1u << lane;
  }
  return absent;
}

void Core::poison_absent(const WarpOp& op, uint32_t mask, uint32_t lanes,
                         const std::array<uint8_t, kLanes>& sources) {
  if (!is_ever_read(op.result)) return;
  auto read = std::make_shared<UndefinedRead>();
  read->from_lane = true;
  read->instruction = pc_;
  read->space = MemorySpace::local;  // of the thread alone, like a register
  read->lanes = lanes;
  read->members = op.members == kNoRow ? mask : row<uint32_t>(op.members)[std::countr_zero(lanes)];
  read->live = warp_->live;
  for (size_t lane = 0; lane < kLanes; ++lane)
    read->addresses[lane] = lanes >> lane & 1 ? sources[lane] : 0;
  warp_->poison.set(frame_, op.result, lanes, lanes, 0, read);
  poison_added_ = true;
}

// "what a shuffle gave it from lane 20, which had returned by then"
std::string Core::absent_text(const UndefinedRead& read, int lane) const {
  const auto source = static_cast<uint32_t>(read.addresses[static_cast<size_t>(lane)]);
  const uint32_t thread = warp_->index * kLanes + source;
  std::string why;
  if (thread >= launch_.threads)
    why = fmt::format("does not exist: the block has {} threads", launch_.threads);
  else if (!(read.live >> source & 1))
    why = "had returned by then";
  else
    why = fmt::format("the mask {:#010x} does not name", read.members);
  return fmt::format("what a shuffle gave it from lane {}, which {}, so that the value is undefined", source,
                     why);
}

}  // namespace ridge::machine
