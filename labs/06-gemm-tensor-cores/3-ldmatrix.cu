// ldmatrix, a swizzle, and three stages.
//
// Rung 2 is limited by shared memory. Its rows are 128 bytes, all 32 banks: the same 16 bytes of
// eight rows g are in the same 4 banks, 8 wavefronts where one would do, and it executes 24 loads
// per 16 MMAs. Two remedies that belong together:
//
//   - ldmatrix loads four 8 x 8 matrices in one instruction: ldmatrix_x4() of fragments.h, whose
//     figure says which lane passes which address. A fragment of A is four such matrices, and two
//     fragments of B are another four (rung 2's figure again, one matrix per register):
//
//         a[i]           k = 0-7    k = 8-15        columns of b       k = 0-7     k = 8-15
//         rows 0-7        a[0]        a[2]          0-7: b[i]           b0           b1
//         rows 8-15       a[1]        a[3]          8-15: b[i + 1]      b0           b1
//
//   - the eight pieces of a row, 16 bytes each, are permuted by XOR with the row number modulo 8:
//     the same piece of eight rows then covers all 32 banks. The writer of a piece and its reader
//     must agree: both call place().
//
//         row 0   0 1 2 3 4 5 6 7        which piece is stored there; a column of pieces
//         row 1   1 0 3 2 5 4 7 6        is 8 x 16 bytes in 8 different groups of
//         row 2   2 3 0 1 6 7 4 5        4 banks. Writing a row: the same.
//
// With three stages a copy has the MMAs of two k-steps to arrive, and one barrier per k-step is
// enough: a thread that has passed it knows that all threads have finished the previous k-step,
// whose tiles may be overwritten.
//
//     ./ridge grade 06-gemm-tensor-cores/3-ldmatrix
#include "fragments.h"

namespace {

constexpr int kTile = 128, kTileK = 64, kStages = 2;  // TODO: three
constexpr int kThreads = 256;
constexpr int kTileBytes = kTile * kTileK * 2;
constexpr int kSharedBytes = kStages * 2 * kTileBytes;

// The offset, in elements, of 8 elements of a tile [kTile][kTileK]: columns 8 * piece and on.
__device__ int place(int row, int piece) {
  // TODO (1 line): swizzle, so that the same piece of 8 rows lies in 8 different groups of 4 banks.
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
  // TODO (about 8 lines): load the fragments with ldmatrix_x4(): 4 calls for a, and 2 for b, each
  // of which loads the b0 and b1 of two i: four registers, to be copied to b[i] and b[i + 1]. Lane
  // l passes the address of row l % 8 of matrix l / 8: derive from the table above how many rows
  // and pieces further matrix 0, 1, 2, 3 is. `pair` is then no longer needed.
  for (int p = 0; p < kTileK / 8; p += 2) {
    uint32_t a[4][4], b[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = warp / 4 * 64 + 16 * i + g, col = warp % 4 * 32 + 8 * i + g;
#pragma unroll
      for (int r = 0; r < 4; ++r)
        a[i][r] = pair(tile_a, row + r % 2 * 8, p + r / 2);
      b[i][0] = pair(tile_b, col, p);
      b[i][1] = pair(tile_b, col, p + 1);
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
      mma(acc[i / 4][i % 4], a[i / 4], b[i % 4][0], b[i % 4][1]);
  }
}

__global__ void __launch_bounds__(kThreads) multiply_swizzled(const __nv_bfloat16* a,  // [m][k]
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
  // TODO (about 5 lines): three stages, and one barrier per k-step: the copies of two k-steps start
  // before the loop. In the loop, how many groups of copies may still be in flight after the wait?
  // Whose tiles may the next copies overwrite, and from which line on? (The gate counts barriers.)
  start_step(0);
  for (int step = 0; step < steps; ++step) {
    start_step(step + 1);
    asm volatile("cp.async.wait_group 1;" ::: "memory");  // this k-step's tiles have arrived
    __syncthreads();                                      // ... for all threads
    mma_tiles(acc, tile(step, 0), tile(step, 1));
    __syncthreads();  // before they are overwritten
  }
  store_accumulators(acc, c, row0, col0, m, n);
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                          int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  cudaFuncSetAttribute(multiply_swizzled, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  multiply_swizzled<<<grid, kThreads, kSharedBytes, stream>>>(a, b, c, m, n, k);
}
