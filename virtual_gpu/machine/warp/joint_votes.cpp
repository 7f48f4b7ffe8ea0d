// Votes of one mask whose lanes come to it at different instructions: a compiler that unrolls a loop
// leaves some lanes at the vote of the unrolled body and others at that of the remaining iterations.
// An H100 then counts all of them together (tests/programs/warp/leaving_lanes.cu). Of shuffles that
// is not known; they wait until all lanes are at one instruction.
#include <array>
#include <bit>

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {
namespace {

void set_bits(uint32_t& word, uint32_t bits, uint32_t mask) {
  word = (word & ~mask) | (bits & mask);
}

}  // namespace

const WarpOp* Core::waiting_vote(const Split& split) const {
  const MicroOp& op = context_.program.ops[split.pc];
  if (split.wait != Wait::warp_sync || op.kind != OpKind::vote) return nullptr;
  const WarpOp& vote = context_.program.warp_ops[op.detail];
  const uint32_t named = members_of(split, std::countr_zero(split.mask));
  for (uint32_t rest = split.mask; rest != 0; rest &= rest - 1)
    if (members_of(split, std::countr_zero(rest)) != named) return nullptr;
  return &vote;
}

// The lanes that wait at votes like that of `split`, if these are all that its mask names; else 0.
uint32_t Core::lanes_of_joint_vote(const Split& split) const {
  const WarpOp* const vote = waiting_vote(split);
  if (vote == nullptr) return 0;
  const uint32_t named = members_of(split, std::countr_zero(split.mask));
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < context_.warp->split_count; ++i) {
    const Split& other = context_.warp->splits[i];
    const WarpOp* const same = waiting_vote(other);
    if (same != nullptr && same->mode == vote->mode && other.frame == split.frame &&
        members_of(other, std::countr_zero(other.mask)) == named)
      lanes |= other.mask;
  }
  return (named & context_.warp->live & ~lanes) == 0 ? lanes : 0;
}

// Called when no parked split has all its lanes at one place.
void Core::release_joint_vote() {
  Warp& warp = *context_.warp;
  uint32_t lanes = 0, said = 0;
  for (uint32_t i = 0; i < warp.split_count && lanes == 0; ++i)
    lanes = lanes_of_joint_vote(warp.splits[i]);
  if (lanes == 0) return;
  const auto word = [](const Split& split, RowOffset offset) {
    return reinterpret_cast<uint32_t*>(split.frame->registers.get() + offset);
  };
  std::array<uint32_t, kLanes> named{};
  for (uint32_t i = 0; i < warp.split_count; ++i) {
    const Split& split = warp.splits[i];
    if ((split.mask & lanes) == 0) continue;
    const WarpOp& vote = *waiting_vote(split);
    const uint32_t source = *word(split, vote.source);
    set_bits(said, vote.source_negated ? ~source : source, split.mask);
    named.fill(members_of(split, std::countr_zero(split.mask)) & lanes);
  }
  if (context_.observer != nullptr) notify_synced(lanes);
  for (uint32_t i = 0; i < warp.split_count; ++i) {
    Split& split = warp.splits[i];
    if ((split.mask & lanes) == 0) continue;
    const WarpOp& vote = *waiting_vote(split);
    write_vote(vote, said, named, split.mask, word(split, vote.result));
    ++split.pc;
    split.wait = Wait::none;
  }
}

}  // namespace ridge::machine
