// Converts one flag per lane to one bit per lane. For the reverse (bit `lane` of the mask)
// compilers vectorize a plain loop.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "virtual_gpu/machine/lanes/lane_op.h"

namespace ridge::machine::RIDGE_LANES {

// Flags are 0 or -1, the result of a vector comparison, so that the sign bits are the mask.
struct alignas(64) Flags {
  int32_t lane[kLanes];
};

inline uint32_t collapse(const Flags& flags) {
  uint32_t mask = 0;
#if defined(__AVX512DQ__)
  for (int i = 0; i < 2; ++i)
    mask |= static_cast<uint32_t>(_mm512_movepi32_mask(_mm512_load_si512(flags.lane + 16 * i))) << 16 * i;
#elif defined(__AVX__)
  for (int i = 0; i < 4; ++i)
    mask |= static_cast<uint32_t>(_mm256_movemask_ps(
                _mm256_castsi256_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(flags.lane + 8 * i)))))
            << 8 * i;
#elif defined(__SSE2__)
  for (int i = 0; i < 8; ++i)
    mask |= static_cast<uint32_t>(_mm_movemask_ps(
                _mm_castsi128_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(flags.lane + 4 * i)))))
            << 4 * i;
#else
  for (int i = 0; i < kLanes; ++i)
    mask |= static_cast<uint32_t>(flags.lane[i] & 1) << i;
#endif
  return mask;
}

}  // namespace ridge::machine::RIDGE_LANES
