// Faster than the library: the copy engine, producer warps and stream-K.
//
// Rung 10 is limited by issue slots, by the register file and by the end of the grid. **Copies.**
// Copies that threads start cost issue slots, and transposing A 4 bytes at a time costs most of
// them. The copy engine (hopper.cuh) needs one thread, but cannot transpose. So a producer
// warpgroup is added: one lane starts the copies, its four warps transpose each 32 x 32 block of A
// in place, and it releases most of its registers to the consumers (setmaxnreg). **Registers.** A
// float4 of A is then four rows of one k, and all of it is replaced at once: the compiler need not
// move accumulators, and both operands of an FFMA stay in different register banks.
//
// **The end.** 512 tiles on 132 SMs are 3.88 waves, which take the time of 4. So all k-steps of all
// tiles form one list, and each block takes an equal part of it (stream-K). When a tile is divided,
// the block that has its last k-steps stores its accumulators first, and the block that has its
// first k-steps adds to them at its end.
//
// Edges: the copy engine fills zeros, and the stores are predicated. The engine cannot read rows
// whose length is not a multiple of 16 bytes: such a matrix is first copied to longer rows
// (any_alignment.h). The sizes, the list and the pipeline are in pipeline.h, the consumers in
// warp_tiles.h.
//
//     ./ridge grade 05-gemm-float32/11-past-the-library
//
// Hypothesis: rung 10 is limited by the issue slots of its copies, by register bank conflicts, and
// by the last wave of tiles.
// What changed from rung 10: which warps load, which transpose A, and where a block's work begins
// and ends.
// What that bought: 104.7% instead of 96.0%.
// Measured on an H200: 104.7% of cublasSgemm (course/measured/nvidia-h200).
#include <algorithm>

#include "any_alignment.h"
#include "warp_tiles.h"

namespace {

__device__ unsigned
    warps_done[kMostBlocks + 1];  // by piece: warps that stored their part of its first tile

// Where piece number `piece` of gridDim.x equal pieces of a list of `all` items begins.
__device__ int begin_of(long long all, int piece) {
  return static_cast<int>(all * piece / gridDim.x);
}

// Transposes 32 rows x 32 k in place. Before, 16-byte piece p of row r is at place p ^ (r & 7) of
// its 128 bytes (the TMA swizzle); after, the rows of k are in order in its 128 bytes. A lane
// transposes 2 squares of 4 x 4; the 8 lanes of a wavefront access 8 different pieces, in reads and
// writes.
__device__ void transpose_block(uint32_t block, int lane) {
  const int row4 = lane % 8;  // rows 4 row4 .. 4 row4 + 3
  float4 v[2][4];             // [square][row]
#pragma unroll
  for (int s = 0; s < 2; ++s)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int row = 4 * row4 + e, piece = row4 ^ (lane / 8 + 4 * s);
      v[s][e] = load_shared_float4(block + row * 128 + (piece ^ (row & 7)) * 16);
    }
  __syncwarp();
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    const int piece = row4 ^ (lane / 8 + 4 * s);
    const uint32_t to = block + piece * 512 + row4 * 16;
    const float4* x = v[s];
    store_shared_float4(to, x[0].x, x[1].x, x[2].x, x[3].x);
    store_shared_float4(to + 128, x[0].y, x[1].y, x[2].y, x[3].y);
    store_shared_float4(to + 256, x[0].z, x[1].z, x[2].z, x[3].z);
    store_shared_float4(to + 384, x[0].w, x[1].w, x[2].w, x[3].w);
  }
}

// Waits until all warps of the block with piece `piece` have stored their part of the tile that it
// began with.
__device__ void wait_for_end(int piece) {
  unsigned done;
  do
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(done) : "l"(warps_done + piece) : "memory");
  while (done < kConsumerWarps);
}

// acc holds k-steps [first, last) of a tile: store them, or add them to the later k-steps that
// another block has stored.
template <bool kAligned>
__device__ void finish_tile(const float (&acc)[kRows][kCols], const Work& work, float* c, int m,
                            int n, int tile, int first, int last, int row, int col) {
  const bool add = last < work.k_steps;  // the next piece begins with the last k-steps of this tile
  if (add) wait_for_end(work.piece + 1);
  const int2 at = work.corner(tile);  // [column, row]
  store_tile<kAligned>(acc, c, m, n, at.y + row, at.x + col, add);
  if (first > 0) {  // these were the last k-steps: notify the block that waits for them
    __threadfence();
    __syncwarp();
    if (threadIdx.x % 32 == 0) atomicAdd(warps_done + work.piece, 1);
  }
  if (add) {
    asm volatile("bar.sync 1, 256;" ::: "memory");  // all eight warps have seen the count
    if (threadIdx.x == 0) atomicExch(warps_done + work.piece + 1, 0);  // for the next launch
  }
}

template <bool kAligned>  // n is a multiple of 4
__global__ void __launch_bounds__(kThreads, 1)
    multiply_pieces(const __grid_constant__ TensorMaps maps, float* c, int m, int n, int k) {
  extern __shared__ unsigned char shared[];
  const uint32_t base = (shared_address(shared) + 1023) & ~1023u;
  if (threadIdx.x == 0) init_stages(base);
  __syncthreads();
  const Work work(m, n, k, begin_of);
  if (threadIdx.x / 32 >= kConsumerWarps) {
    warpgroup_reg_dealloc<kProducerRegisters>();
    produce(maps, work, base, transpose_block);
  } else {
    warpgroup_reg_alloc<kConsumerRegisters>();
    consume(work, base, [&](const auto& acc, int tile, int first, int last, int row, int col) {
      finish_tile<kAligned>(acc, work, c, m, n, tile, first, last, row, col);
    });
  }
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  int device = 0, processors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const auto kernel = n % 4 == 0 ? multiply_pieces<true> : multiply_pieces<false>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  const AlignedRows rows_a(a, m, k, stream), rows_b(b, k, n, stream);
  const TensorMaps maps{rows_a.map(kTileM, kTileK, CU_TENSOR_MAP_SWIZZLE_128B),
                        rows_b.map(kTileK, kTileN, CU_TENSOR_MAP_SWIZZLE_NONE)};
  const int tiles = (m + kTileM - 1) / kTileM * ((n + kTileN - 1) / kTileN);
  const int blocks =
      std::min({tiles, processors, kMostBlocks});  // each has at least the k-steps of one tile
  kernel<<<blocks, kThreads, kSharedBytes, stream>>>(maps, c, m, n, k);
}
