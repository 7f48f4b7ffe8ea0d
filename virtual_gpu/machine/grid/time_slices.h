// Time slices of the clusters of one host thread: a cluster that has seen a value which others
// wait for lets them see it before it sets the next one.
//
// Blocks wait for each other by reading a place in global memory until it has a value, as the
// barrier of a grid does. On a GPU all blocks that wait for a value go on at about the same time.
// One host thread runs them one after the other. Without a rule, the first block would run to its
// next barrier and count its arrival there before the second has looked, and so on: each block would
// read a count that includes later arrivals of the blocks before it. It would then be ordered after
// all that they did, no two blocks would ever be unordered, and the race check could not see that a
// barrier is missing between the two.
//
// The rule: where a block has read such a place in its slice (a volatile or atomic read) and
// others of its host thread wait, the slice ends before the block's next atomic or volatile store.
// By its next slice all others have had one.
#pragma once

#include <cstdint>

#include "virtual_gpu/machine/warp/state.h"

namespace ridge::machine {

class TimeSlices {
 public:
  // True while a slice has to end as the rule says.
  bool others_wait() const { return waiting_ > 0 && vain_looks_left_ > 0; }
  void begins(Cluster& cluster) {
    waiting_ -= cluster.waits ? 1 : 0;
    stopped_ -= cluster.is_stopped ? 1 : 0;
    cluster.waits = cluster.is_stopped = false;
  }
  // `waits`: in the end it only polled; `is_stopped`: the slice was ended by the rule.
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
  uint64_t waiting_ = 0, stopped_ = 0;  // clusters
  uint32_t vain_looks_left_ = kMaxVainLooks;
};

}  // namespace ridge::machine
