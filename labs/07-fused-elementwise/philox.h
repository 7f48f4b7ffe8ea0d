// One round of Philox4x32, a random number generator without a state: 128 random bits are a
// function of a counter and a key (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// 2011).
#pragma once

// After each round the key changes by these steps, one per word.
constexpr unsigned kKeyStep0 = 0x9E3779B9u, kKeyStep1 = 0xBB67AE85u;

// Two products of 32 x 32 bits. Their upper halves are mixed with the other words and the key.
__device__ inline uint4 philox_round(uint4 counter, uint2 key) {
  const unsigned long long product0 = 0xD2511F53ull * counter.x;
  const unsigned long long product1 = 0xCD9E8D57ull * counter.z;
  const unsigned high0 = static_cast<unsigned>(product0 >> 32);
  const unsigned high1 = static_cast<unsigned>(product1 >> 32);
  return make_uint4(high1 ^ counter.y ^ key.x, static_cast<unsigned>(product1),
                    high0 ^ counter.w ^ key.y, static_cast<unsigned>(product0));
}
