// expect: WRONG
// Fragments are loaded from their places without the swizzle.
#include "gemm.h"

namespace {

constexpr int kTile = 128, kTileK = 64, kStages = 3;
constexpr int kThreads = 256;
constexpr int kTileBytes = kTile * kTileK * 2;
constexpr int kSharedBytes = kStages * 2 * kTileBytes;

// The offset, in elements, of 8 elements of a tile [kTile][kTileK]: columns 8 * piece and on,
// swizzled.
__device__ int place(int row, int piece) {
  return row * kTileK + (piece ^ row % 8) * 8;
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

__device__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Loads four matrices of 8 x 8; each lane gives the address `row` of one row of one of them.
__device__ void ldmatrix_x4(uint32_t (&four)[4], const __nv_bfloat16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(four[0]), "=r"(four[1]), "=r"(four[2]), "=r"(four[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}

// One k-step's MMAs of this warp: acc += tile_a * tile_b^T.
__device__ void mma_tiles(float (&acc)[4][4][4], const __nv_bfloat16* tile_a,
                          const __nv_bfloat16* tile_b) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int p = 0; p < kTileK / 8; p += 2) {
    uint32_t a[4][4], b[2][4];  // b: 2 x 8 columns, {k 0-7, k 8-15} of each
#pragma unroll
    for (int i = 0; i < 4;
         ++i)  // lanes 0-15: 16 rows; lanes 16-31: the same rows, 8 further along k
      ldmatrix_x4(a[i],
                  tile_a + (warp / 4 * 64 + 16 * i + lane % 16) * kTileK + (p + lane / 16) * 8);
#pragma unroll
    for (int j = 0; j < 2; ++j)
      ldmatrix_x4(b[j], tile_b + place(warp % 4 * 32 + 16 * j + lane / 16 * 8 + lane % 8,
                                       p + lane / 8 % 2));
#pragma unroll
    for (int i = 0; i < 16; ++i)
      mma(acc[i / 4][i % 4], a[i / 4], b[i % 4 / 2][i % 2 * 2], b[i % 4 / 2][i % 2 * 2 + 1]);
  }
}

// n is even, so two neighbours are both in C or both outside.
__device__ void store_accumulators(const float (&acc)[4][4][4], __nv_bfloat16* c, int row0,
                                   int col0, int m, int n) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    const float* two = &acc[i / 8][i / 2 % 4][i % 2 * 2];
    const int row = row0 + warp / 4 * 64 + i / 8 * 16 + i % 2 * 8 + g;
    const int col = col0 + warp % 4 * 32 + i / 2 % 4 * 8 + 2 * t;
    if (row < m && col < n)
      *reinterpret_cast<__nv_bfloat162*>(c + static_cast<int64_t>(row) * n + col) =
          __floats2bfloat162_rn(two[0], two[1]);
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
  for (int step = 0; step < kStages - 1; ++step)
    start_step(step);
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2)
                 : "memory");  // this k-step's tiles have arrived
    __syncthreads();  // ... for all threads; and no thread still reads the previous k-step's tiles
    start_step(step + kStages - 1);
    mma_tiles(acc, tile(step, 0), tile(step, 1));
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
