// c = a + b again, with 16-byte loads and several loads in flight.
//
// In rung 1 a thread requests 4 + 4 bytes, waits several hundred cycles for them, adds once and
// ends. Memory is busy only while enough bytes are in flight (Little's law: bytes in flight =
// bandwidth x latency; the chapter works it out). Two ways to have more bytes in flight, both used
// here:
//
//   - wider: a float4 is 16 bytes in one instruction, 512 bytes per warp instead of 128;
//   - deeper: a thread issues all of its loads before it uses the first result.
//
// A block adds one tile of 4096 floats. Load k of thread t is float4 number k * 256 + t of the
// tile, so the 32 lanes of a warp access contiguous memory. The last tile may end anywhere, also
// inside a float4.
//
//     ./ridge grade 01-kernel-basics/4-float4
//
// Hypothesis: rung 1 has too few bytes in flight; 128 bytes per thread instead of 8 reach the
// bandwidth of the memory.
// What changed: a thread issues 8 loads of 16 bytes before its first addition, and executes a
// quarter of the memory instructions per element.
// What that bought: the speed of the device copy, from 80.1% in rung 1.
// Measured on an H200: 99.9% of the device copy (course/measured/nvidia-h200).
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
    for (int i = begin + threadIdx.x; i < n; i += kThreads)
      c[i] = a[i] + b[i];
  }
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int blocks = (n + kTile - 1) / kTile;
  add_float4_tile_per_block<<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}
