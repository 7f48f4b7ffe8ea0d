// mma.sync with explicit fragments, and asynchronous copies.
//
// In rung 1 everything runs in sequence: loads into registers, stores to shared memory, barrier,
// MMAs, barrier. cp.async copies 16 bytes from global to shared memory without a register, and the
// thread continues: the tiles of the next k-step can be in flight, into a second stage, while this
// k-step's MMAs execute.
//
// mma.sync, on which wmma is built, specifies which lane holds which element. With g = lane / 4 and
// t = lane % 4:
//
//     A, 16 x 16     k = 2t, 2t+1   k = 2t+8, 2t+9    B, 8 columns     k = 2t, 2t+1  k = 2t+8, 2t+9
//     row g              a[0]            a[2]         column g             b[0]           b[1]
//     row g + 8          a[1]            a[3]
//
//     C, 16 x 8      columns 2t, 2t+1
//     row g              c[0], c[1]
//     row g + 8          c[2], c[3]
//
// Both operands are stored along k, so every register is one 32-bit load of two neighbours, and C
// goes from registers to memory. A block of 8 warps (2 x 4) computes 128 x 128 of C, a warp 64 x
// 32: 4 x 4 MMAs of 16 x 8.
//
//     ./ridge grade 06-gemm-tensor-cores/2-mma-sync
#include "fragments.h"

namespace {

constexpr int kTile = 128, kTileK = 64, kStages = 2;
constexpr int kThreads = 256;
constexpr int kTileBytes = kTile * kTileK * 2;
constexpr int kSharedBytes = kStages * 2 * kTileBytes;

// The offset, in elements, of 8 elements of a tile [kTile][kTileK]: columns 8 * piece and on.
__device__ int place(int row, int piece) {
  return row * kTileK + piece * 8;
}

// Starts the copy of rows row0 .. row0 + 127, columns col0 .. col0 + 63. For a piece outside the
// matrix 0 bytes are read and 16 zeros written.
__device__ void start_copy(__nv_bfloat16* tile, const __nv_bfloat16* matrix, int rows, int k,
                           int row0, int col0) {
  for (int i = threadIdx.x; i < kTile * kTileK / 8; i += kThreads) {
    const int row = i / 8, piece = i % 8;
    const bool inside = row0 + row < rows && col0 + piece * 8 < k;
    const __nv_bfloat16* from =
        inside ? matrix + static_cast<int64_t>(row0 + row) * k + col0 + piece * 8 : matrix;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(tile + place(row, piece)))),
                 "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
  }
}

// One k-step's MMAs of this warp: acc += tile_a * tile_b^T.
__device__ void mma_tiles(float (&acc)[4][4][4], const __nv_bfloat16* tile_a,
                          const __nv_bfloat16* tile_b) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const auto pair = [t](const __nv_bfloat16* tile, int row, int piece) {
    return *reinterpret_cast<const uint32_t*>(tile + place(row, piece) + 2 * t);
  };
  for (int p = 0; p < kTileK / 8; p += 2) {
    uint32_t a[4][4], b[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      // TODO (about 6 lines): fill a[i] and b[i] according to the table above. `pair(tile, row,
      // piece)` is this lane's two neighbours 2t, 2t + 1 of those 8 columns. The warp's rows of C
      // begin at warp / 4 * 64, 16 for each i; its columns at warp % 4 * 32, 8 for each i. Here k =
      // 0 .. 7 is piece p and k = 8 .. 15 is piece p + 1.
      for (uint32_t& part : a[i])
        part = 0;
      b[i][0] = b[i][1] = pair(tile_b, warp + g, p) * 0;
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
      mma(acc[i / 4][i % 4], a[i / 4], b[i % 4][0], b[i % 4][1]);
  }
}

__global__ void __launch_bounds__(kThreads) multiply_two_stages(const __nv_bfloat16* a,  // [m][k]
                                                                const __nv_bfloat16* b,  // [n][k]
                                                                __nv_bfloat16* c,        // [m][n]
                                                                int m, int n, int k) {
  extern __shared__ __align__(1024) __nv_bfloat16 tiles[];  // [kStages][a, b][kTile][kTileK]
  const int row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile, steps = (k + kTileK - 1) / kTileK;
  const auto tile = [](int step, int which) {
    return tiles + (step % kStages * 2 + which) * kTile * kTileK;
  };
  const auto start_step = [&](int step) {
    if (step < steps) {
      start_copy(tile(step, 0), a, m, k, row0, step * kTileK);
      start_copy(tile(step, 1), b, n, k, col0, step * kTileK);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float acc[4][4][4] = {};  // [16 rows][8 columns][of this lane]
  // TODO (about 8 lines): two stages. start_step(0); then, for each k-step, start the next one,
  // wait until all but the newest group of copies have arrived (cp.async.wait_group 1), for all
  // threads (__syncthreads), execute the MMAs, and wait again before the tiles are overwritten. The
  // lines below have one k-step in flight at a time.
  for (int step = 0; step < steps; ++step) {
    start_step(step);
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    mma_tiles(acc, tile(step, 0), tile(step, 1));
    __syncthreads();
  }
  store_accumulators(acc, c, row0, col0, m, n);
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                          int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  cudaFuncSetAttribute(multiply_two_stages, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  multiply_two_stages<<<grid, kThreads, kSharedBytes, stream>>>(a, b, c, m, n, k);
}
