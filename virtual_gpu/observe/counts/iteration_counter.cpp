#include "virtual_gpu/observe/counts/iteration_counter.h"

#include <algorithm>
#include <bit>

namespace ridge::observe {

IterationCounter::IterationCounter(std::vector<UnrolledLoop> loops, size_t instructions)
    : loops_(std::move(loops)) {
  if (loops_.size() > kMostLoops) loops_.resize(kMostLoops);
  if (loops_.empty()) return;
  loop_at_.resize(instructions);
  for (size_t k = 0; k < loops_.size(); ++k)
    std::fill(loop_at_.begin() + loops_[k].first, loop_at_.begin() + loops_[k].last + 1,
              static_cast<uint8_t>(k + 1));
}

void IterationCounter::follow(uint32_t first, uint32_t mask) {
  const uint32_t warp = machine_->running_warp();
  if (warp >= open_.size()) {
    open_.resize(warp + 1);
    entries_.resize(open_.size() * loops_.size());
  }
  const uint8_t here = loop_at_[first];
  for (uint64_t open = open_[warp]; open != 0; open &= open - 1) {
    const auto loop = static_cast<size_t>(std::countr_zero(open));
    if (loop + 1 != here) leave(warp, loop, mask);
  }
  if (here == 0 || loops_[here - 1].first != first) return;
  open_[warp] |= uint64_t{1} << (here - 1);
  iterate(entry_of(warp, here - 1), mask);
}

void IterationCounter::iterate(Entry& entry, uint32_t mask) {
  if (mask == entry.inside) {
    ++entry.common;
    return;
  }
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    // A lane that comes in has made none of the common iterations; unsigned arithmetic wraps round.
    if ((entry.inside >> lane & 1) == 0) entry.iterations[lane] -= entry.common;
    ++entry.iterations[lane];
  }
  entry.inside |= mask;
}

void IterationCounter::leave(uint32_t warp, size_t loop, uint32_t mask) {
  Entry& entry = entry_of(warp, loop);
  for (uint32_t rest = mask & entry.inside; rest != 0; rest &= rest - 1)
    entry.iterations[static_cast<size_t>(std::countr_zero(rest))] += entry.common;
  entry.inside &= ~mask;
  if (entry.inside != 0) return;
  loops_[loop].add_entry(entry.iterations);
  entry = {};
  open_[warp] &= ~(uint64_t{1} << loop);
}

void IterationCounter::block_end() {
  if (loops_.empty()) return;
  --running_blocks_;
  constexpr uint32_t kAll = ~uint32_t{0};
  for (uint32_t warp = 0; warp < open_.size(); ++warp) {  // lanes that ended in a loop
    for (uint64_t open = open_[warp]; open != 0; open &= open - 1)
      leave(warp, static_cast<size_t>(std::countr_zero(open)), kAll);
  }
}

}  // namespace ridge::observe
