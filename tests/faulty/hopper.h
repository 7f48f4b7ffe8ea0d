// mbarriers and wgmma's operands, for the faulty programs about them.
#pragma once

__device__ inline unsigned place_of(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Until the phase with this parity has ended.
__device__ inline void wait(unsigned mbarrier, int parity) {
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(mbarrier), "r"(parity) : "memory");
}

__device__ inline unsigned long long descriptor(const void* tile) {  // no swizzle, K-major, core matrices of 128 bytes
  return (place_of(tile) & 0x3ffffull) >> 4 | 8ull << 16 | 16ull << 32;
}

struct Tiles {
  alignas(128) unsigned short a[64 * 16], b[8 * 16];
};

// All ones (f16), visible to the tensor cores after a barrier.
__device__ inline void fill(Tiles& tiles) {
  for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x) tiles.a[i] = 0x3c00;
  for (int i = threadIdx.x; i < 8 * 16; i += blockDim.x) tiles.b[i] = 0x3c00;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
