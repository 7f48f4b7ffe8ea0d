// The generator Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"), whose numbers are a
// function of seed, sequence and offset.
#pragma once

#include "cuda_runtime.h"

struct curandStatePhilox4_32_10 {
  uint4 counter, words;  // the words of this counter
  uint2 key;
  unsigned used;  // of the four words
  bool has_normal;
  float normal;  // the second number of a pair
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace ridge_cuda {

RIDGE_DEVICE uint4 philox(uint4 counter, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * counter.x, b = 0xCD9E8D57ull * counter.z;
    counter =
        make_uint4(static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(b),
                   static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned>(a));
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}
// The low 64 bits of the counter count blocks of four words, the high ones are the sequence.
RIDGE_DEVICE void advance(curandStatePhilox4_32_10* state, unsigned long long blocks) {
  const unsigned long long low =
      (static_cast<unsigned long long>(state->counter.y) << 32 | state->counter.x) + blocks;
  if (low < blocks && ++state->counter.z == 0) ++state->counter.w;
  state->counter.x = static_cast<unsigned>(low);
  state->counter.y = static_cast<unsigned>(low >> 32);
  state->words = philox(state->counter, state->key);
}
RIDGE_DEVICE unsigned word(uint4 words, unsigned index) {
  return index == 0 ? words.x : index == 1 ? words.y : index == 2 ? words.z : words.w;
}
}  // namespace ridge_cuda

RIDGE_DEVICE void skipahead(unsigned long long count, curandStatePhilox4_32_10* state) {
  const unsigned long long place = state->used + count;
  state->used = place % 4;
  ridge_cuda::advance(state, place / 4);
}
RIDGE_DEVICE void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10* state) {
  const unsigned long long high =
      (static_cast<unsigned long long>(state->counter.w) << 32 | state->counter.z) + count;
  state->counter.z = static_cast<unsigned>(high);
  state->counter.w = static_cast<unsigned>(high >> 32);
  ridge_cuda::advance(state, 0);
}
RIDGE_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence,
                              unsigned long long offset, curandStatePhilox4_32_10* state) {
  state->counter =
      make_uint4(0, 0, static_cast<unsigned>(sequence), static_cast<unsigned>(sequence >> 32));
  state->key = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
  state->used = 0;
  state->has_normal = false;
  skipahead(offset, state);
}

RIDGE_DEVICE unsigned curand(curandStatePhilox4_32_10* state) {
  const unsigned result = ridge_cuda::word(state->words, state->used++);
  if (state->used == 4) {
    state->used = 0;
    ridge_cuda::advance(state, 1);
  }
  return result;
}
RIDGE_DEVICE uint4 curand4(curandStatePhilox4_32_10* state) {
  const uint4 first = state->words;
  ridge_cuda::advance(state, 1);
  const uint4 next = state->words;
  switch (state->used) {
    case 0:
      return first;
    case 1:
      return make_uint4(first.y, first.z, first.w, next.x);
    case 2:
      return make_uint4(first.z, first.w, next.x, next.y);
    default:
      return make_uint4(first.w, next.x, next.y, next.z);
  }
}
