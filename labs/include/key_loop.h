// Lab 10, from rung 7: a consumer's loop over the tiles of keys of its 64 queries. There is nothing
// to edit.
//
// It is the loop of rung 6, from the last keys to the first, but most tiles do without a search for
// their maximum. The maximum of a row seldom grows much after the row's first tile. So later tiles
// guess: they compute exp2(score - m) with the m that they find. For one row, with scores in units
// of log2:
//
//     tile              0      1       2       3
//     largest score     3.1    2.8     3.4     40
//     m                 3.1    3.1     3.1     3.1 is too small: repaired, 40
//     largest weight    1      2^-0.3  2^0.3   2^36.9, after the repair 1
//
// A guess saves the comparisons, the shuffles that every exp2 would wait for, and the
// multiplication of o. A weight above 1 does no harm, as o and l have the same factor. But floats
// end at 2^128. So a tile whose sum is too large is repaired before it is multiplied with v: its
// scores are computed again, and its weights with their maximum. Until then its keys stay.
//
// Tiles do not guess as long as keys are hidden or a row has seen none. Nor does the last tile: it
// releases q and k as soon as it has its scores, so that the copies of the next tile begin early.
#pragma once

#include "attention.h"
#include "hopper.cuh"
#include "persistent_tiles.h"
#include "warpgroup_tiles.h"

constexpr float kLargestSum = 65536;  // of a lane's guessed weights in a row

// True in all threads of the warpgroup if `mine` is true in one of them.
inline __device__ bool any_of_warpgroup(int group, bool mine) {
  int any;
  asm volatile(
      "{ .reg .pred mine, any; setp.ne.b32 mine, %1, 0;"
      "barrier.cta.red.or.pred any, %2, 128, mine; selp.s32 %0, 1, 0, any; }"
      : "=r"(any)
      : "r"(static_cast<int>(mine)), "r"(1 + group)
      : "memory");
  return any != 0;
}

// The scores of a tile become its weights. base: the maxima times the scale; sum: of this lane's
// weights; both of its two rows.
template <int kCount>
__device__ void guess_weights(float (&s)[kCount], float (&sum)[2], const float (&base)[2],
                              float scale) {
  float part[2][2] = {};
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    part[i / 2 % 2][i % 2] += s[i] = fast_exp2(fmaf(s[i], scale, -base[i / 2 % 2]));
  sum[0] = part[0][0] + part[0][1];
  sum[1] = part[1][0] + part[1][1];
}

// o += weights v and softmax over `steps` tiles of keys; q is there, and is released. all_see: keys
// that all of the consumer's queries see. hide(s, step): the scores of tile `step` become minus
// infinity where a query does not see the key.
template <typename S, typename Hide>
__device__ void attend_keys(Shared<S>& shared, PipelineState<S::kStages>& at_k,
                            PipelineState<S::kStages>& at_v, float (&o)[S::kD / 2],
                            Softmax& softmax, int steps, int all_see, const Hide& hide) {
  const int group = threadIdx.x / 128;
  const float scale = logit_scale(S::kD) * kLog2E;
  float s[S::kKeys / 2], base[2];
  float sum[2] = {};  // of guessed weights, not yet in softmax.l
  uint32_t weights[S::kKeys / 4];
  int held = 0;  // the stage of the keys that have these scores or weights
  const auto start_next_scores = [&] {
    wait(&shared.k_full[at_k.stage], at_k.parity);
    start_scores<S>(s, shared.q[group], shared.k[at_k.stage]);
  };
  const auto start_next_output = [&] {
    wait(&shared.v_full[at_v.stage], at_v.parity);
    start_output<S>(o, weights, shared.v[at_v.stage]);
  };
  const auto complete_output = [&] {
    wgmma_wait<0>(o);
    release(&shared.v_empty[at_v.stage]);
    at_v.advance();
  };
  const auto weigh_by_maximum = [&] {
    update(s, softmax, scale);
    base[0] = softmax.m[0] * scale;
    base[1] = softmax.m[1] * scale;
  };
  const auto repair = [&] {
    start_scores<S>(s, shared.q[group], shared.k[held]);
    wgmma_wait<0>(s);
    weigh_by_maximum();
    rescale(o, softmax);
    round_weights(weights, s);
    sum[0] = sum[1] = 0;  // softmax.l has them
  };
  // The next scores, and the output of the tile before them.
  const auto start_both = [&] {
    if (any_of_warpgroup(group, fmaxf(sum[0], sum[1]) > kLargestSum)) repair();
    wait_for_turn(group);
    release(&shared.k_empty[held]);
    softmax.l[0] += sum[0];
    softmax.l[1] += sum[1];
    start_next_scores();
    start_next_output();
    give_turn_to((group + 1) % S::kConsumers);
    wgmma_wait<1>(s);
    held = at_k.stage;
    at_k.advance();
  };
  const auto weigh = [&](int step) {  // the scores are complete
    if (step == 0) {
      release(&shared.k_empty[held]);
      release(&shared.q_empty);
    }
    if ((step + 1) * S::kKeys > all_see) hide(s, step);
    weigh_by_maximum();
  };
  const auto weigh_and_complete = [&](int step) {
    weigh(step);
    complete_output();
    rescale(o, softmax);
    round_weights(weights, s);
  };
  if (steps == 0) {
    release(&shared.q_empty);
    return;
  }
  start_next_scores();
  wgmma_wait<0>(s);
  held = at_k.stage;
  at_k.advance();
  int step = steps - 1;
  weigh(step);
  round_weights(weights, s);
  while (--step >= 0 && (step + 1) * S::kKeys >= all_see) {
    start_both();
    weigh_and_complete(step);
  }
  for (; step > 0; --step) {
    start_both();
    guess_weights(s, sum, base, scale);
    complete_output();
    round_weights(weights, s);
  }
  if (step == 0) {
    start_both();
    weigh_and_complete(0);
  }
  start_next_output();
  complete_output();
}
