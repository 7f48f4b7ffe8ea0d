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
#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block
constexpr int kInFlight = 4;   // float4 loads per input that a thread issues before it adds
constexpr int kTile = kThreads * kInFlight * 4;  // 4096 floats per block

__global__ void add_float4_tile_per_block(const float* a, const float* b, float* c, int n) {
  const int begin =
      blockIdx.x * kTile;    // the tile's first float: a multiple of 4096, so float4 are aligned
  if (begin + kTile <= n) {  // the same for all threads of the block
    // TODO (about 12 lines): the full tile. Cast a + begin, b + begin and c + begin to float4*
    // (reinterpret_cast). One loop issues kInFlight loads per input into arrays of float4, a second
    // one adds and stores. #pragma unroll above both keeps the arrays in registers.
  } else {
    // TODO (1 line): the last, partial tile: one float at a time, from begin up to n, in steps of
    // kThreads.
  }
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int blocks = (n + kTile - 1) / kTile;
  add_float4_tile_per_block<<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}
