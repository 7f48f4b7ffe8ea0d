// Lab 10, rung 10: how many blocks share the keys of a sequence, as rung 9 chooses it. There is
// nothing to edit.
#pragma once

#include <algorithm>
#include <climits>

#include "decode_parts.h"

// The number of blocks that share the keys of one pair, at most kMostParts / pairs. steps: how many
// times kKeysPerStep keys a pair has; slots: blocks that the GPU runs at the same time.
inline int choose_splits(int pairs, int steps, int slots) {
  constexpr int kOverhead = 2;  // steps' worth of time to start a block and to merge its part
  const int most = std::max(1, std::min(steps, kMostParts / pairs));
  int best = 1;
  int least = INT_MAX;
  for (int splits = 1; splits <= most; ++splits) {
    const int steps_per_block = (steps + splits - 1) / splits;
    const int waves = (pairs * splits + slots - 1) / slots;
    const int cost = waves * (steps_per_block + kOverhead);
    if (cost < least) least = cost, best = splits;
  }
  return best;
}
