// expect: OUT OF BOUNDS
// The partial tile is rounded up to whole float4: up to three floats past the end are written.
#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block
constexpr int kInFlight = 4;   // float4 loads per input that a thread issues before it adds
constexpr int kTile = kThreads * kInFlight * 4;  // 4096 floats per block

__global__ void add_float4_tile_per_block(const float* a, const float* b, float* c, int n) {
  const int begin =
      blockIdx.x * kTile;    // the tile's first float: a multiple of 4096, so float4 are aligned
  if (begin + kTile <= n) {  // the same for all threads of the block
    const float4* a4 = reinterpret_cast<const float4*>(a + begin);  // [kThreads * kInFlight]
    const float4* b4 = reinterpret_cast<const float4*>(b + begin);  // [kThreads * kInFlight]
    float4* c4 = reinterpret_cast<float4*>(c + begin);              // [kThreads * kInFlight]
    float4 p[kInFlight], q[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      p[k] = a4[k * kThreads + threadIdx.x];
      q[k] = b4[k * kThreads + threadIdx.x];
    }
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const float4 sum =
          make_float4(p[k].x + q[k].x, p[k].y + q[k].y, p[k].z + q[k].z, p[k].w + q[k].w);
      c4[k * kThreads + threadIdx.x] = sum;
    }
  } else {
    for (int i = begin + threadIdx.x; i < (n + 3) / 4 * 4; i += kThreads)
      c[i] = a[i] + b[i];
  }
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int blocks = (n + kTile - 1) / kTile;
  add_float4_tile_per_block<<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}
