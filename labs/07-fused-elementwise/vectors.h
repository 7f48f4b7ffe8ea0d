// 16 bytes of a row: 8 bf16 as they are moved, and as 8 floats to compute with.
#pragma once

#include <cuda_bf16.h>

constexpr int kPerVector = 8;  // bf16 in a uint4

struct Floats {
  float of[kPerVector];
};

__device__ inline Floats unpacked(uint4 bits) {
  Floats floats;
  const unsigned words[] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
  for (int i = 0; i < kPerVector / 2; ++i) {
    // A bf16 is the upper half of a float.
    floats.of[2 * i] = __uint_as_float(words[i] << 16);
    floats.of[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000);
  }
  return floats;
}

__device__ inline unsigned packed_pair(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  return *reinterpret_cast<const unsigned*>(&pair);
}

__device__ inline uint4 packed(const Floats& x) {
  return make_uint4(packed_pair(x.of[0], x.of[1]), packed_pair(x.of[2], x.of[3]),
                    packed_pair(x.of[4], x.of[5]), packed_pair(x.of[6], x.of[7]));
}
