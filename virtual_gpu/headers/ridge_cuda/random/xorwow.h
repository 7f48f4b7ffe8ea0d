// The generator XORWOW (Marsaglia, "Xorshift RNGs"), cuRAND's default: five words of a xorshift and a counter.
// NVIDIA does not document how cuRAND makes the state of a seed. Here it is made by SplitMix64, so the numbers are
// other ones than with the toolkit.
#pragma once

#include "cuda_runtime.h"

struct curandStateXORWOW {
  unsigned d, v[5];
  bool has_normal;
  float normal;  // the second number of a pair
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

RIDGE_DEVICE unsigned curand(curandStateXORWOW* state) {
  const unsigned t = state->v[0] ^ state->v[0] >> 2;
  state->v[0] = state->v[1];
  state->v[1] = state->v[2];
  state->v[2] = state->v[3];
  state->v[3] = state->v[4];
  state->v[4] = state->v[4] ^ state->v[4] << 4 ^ (t ^ t << 1);
  state->d += 362437;
  return state->v[4] + state->d;
}
RIDGE_DEVICE void skipahead(unsigned long long count, curandStateXORWOW* state) {
  for (unsigned long long i = 0; i < count; ++i)
    curand(state);
}
RIDGE_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence,
                              unsigned long long offset, curandStateXORWOW* state) {
  unsigned long long place = seed * 0xD1342543DE82EF95ull + sequence;
  unsigned words[6];
#pragma unroll
  for (int i = 0; i < 6; i += 2) {
    place += 0x9E3779B97F4A7C15ull;
    unsigned long long z = place;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    words[i] = static_cast<unsigned>(z);
    words[i + 1] = static_cast<unsigned>(z >> 32);
  }
  state->d = words[5];
#pragma unroll
  for (int i = 0; i < 5; ++i)
    state->v[i] = words[i];
  state->v[0] |= 1;  // never all zero
  state->has_normal = false;
  skipahead(offset, state);
}
