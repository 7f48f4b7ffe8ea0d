// Time slices of the clusters of one host thread. Two rules end a slice early.
//
// The first: a cluster that has seen a value which others wait for lets them see it before it sets
// the next one.
//
// Blocks wait for each other by reading a place in global memory until it has a value, as the
// barrier of a grid does. On a GPU all blocks that wait for a value go on at about the same time.
// One host thread runs them one after the other. Without a rule, the first block would run to its
// next barrier and count its arrival there before the second has looked, and so on: each block would
// read a count that includes later arrivals of the blocks before it. It would then be ordered after
// all that they did, no two blocks would ever be unordered, and the race check could not see that a
// barrier is missing between the two.
//
// So where a block has read such a place in its slice (a volatile or atomic read) and others of its
// host thread wait, the slice ends before the block's next atomic or volatile store. By its next
// slice all others have had one.
//
// The second: a warp that takes work from a counter (one lane adds to a place in global memory and
// uses the old value) lets the other blocks take theirs before it takes a second time. On a GPU all
// resident blocks take work in turn. Without the rule the first block would do nearly all of it.
//
// With a seed (LaunchConfig::order_seed) the order is another one that a GPU may choose as well:
// blocks begin in a drawn order, and where the warps are stepped (as the check of races asks for,
// if blocks talk to each other) a slice ends between any two atomic or volatile stores, so that
// other blocks see what one has published first and not what it publishes last.
#pragma once

#include <cstdint>
#include <numeric>

#include "virtual_gpu/machine/warp/state.h"

namespace ridge::machine {

// The order of the clusters of a launch: as numbered, or drawn from a seed.
class BlockSequence {
 public:
  // `worker`: the host thread, which draws for itself.
  BlockSequence(uint64_t seed, uint64_t clusters, uint64_t worker)
      : seed_(seed), clusters_(clusters), state_(seed + worker) {
    step_ = seed % clusters;
    while (std::gcd(step_, clusters) != 1)
      ++step_;
  }
  bool is_drawn() const { return seed_ != 0; }
  // The cluster that begins as the n-th.
  uint64_t begins(uint64_t n) const {
    return is_drawn() ? (n % clusters_ * step_ + seed_ / 3) % clusters_ : n;
  }
  // Which of `count` waiting clusters goes on.
  uint64_t goes_on(uint64_t count) {
    if (!is_drawn()) return 0;
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return (state_ >> 33) % count;
  }

 private:
  uint64_t seed_, clusters_, state_, step_ = 1;
};

class TimeSlices {
 public:
  // True while a slice has to end as the first rule says.
  bool others_wait() const { return waiting_ > 0 && vain_looks_left_ > 0; }
  // ... as the second rule says.
  bool must_share_work() const { return shares_left_ > 0; }
  void work_shared() { --shares_left_; }
  void begins(Cluster& cluster) {
    waiting_ -= cluster.waits ? 1 : 0;
    stopped_ -= cluster.is_stopped ? 1 : 0;
    cluster.waits = cluster.is_stopped = false;
  }
  // `waits`: in the end it only polled; `is_stopped`: the slice was ended by the first rule.
  void ends(Cluster& cluster, bool waits, bool is_stopped, bool made_progress) {
    cluster.is_stopped = is_stopped;
    cluster.waits = waits && !is_stopped;
    stopped_ += cluster.is_stopped ? 1 : 0;
    waiting_ += cluster.waits ? 1 : 0;
    if (cluster.waits && !made_progress && stopped_ > 0 && vain_looks_left_ > 0) --vain_looks_left_;
  }

 private:
  // Looks in vain between the two halves of a slice, per host thread and launch (at most a tenth of
  // a second): a lock for which a thousand blocks compete has a thousand for each owner.
  static constexpr uint32_t kMaxVainLooks = 50'000;
  // Slices ended by the second rule, per host thread and launch (at most a tenth of a second).
  static constexpr uint32_t kMaxShares = 50'000;
  uint64_t waiting_ = 0, stopped_ = 0;  // clusters
  uint32_t vain_looks_left_ = kMaxVainLooks, shares_left_ = kMaxShares;
};

}  // namespace ridge::machine
