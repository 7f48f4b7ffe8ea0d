// A tile for each warp.
//
// Between the block tile and the thread tile is the warp, and rung 9 gave it no shape: 32 threads
// in a line. A load of 16 bytes per lane takes four wavefronts, a quarter of the warp each; but
// only two if lanes l and l ^ 1 load the same float4, or lanes l and l ^ 2. In a line that holds
// for A, not for B. Give the 32 lanes a tile of 64 x 64 in which the lowest bit of the lane selects
// a row and the next one a column: then it holds for both.
//
//     row group = lane % 2 + lane / 16 * 2      column group = lane / 2 % 8      (groups of 4)
//
// Load the fragments of k + 1 during the FMAs of k, so that no FMA waits for its own load. The
// register file has two banks for an FMA's three operands: go row by row with columns in
// alternating direction, so that consecutive FMAs share an operand.
//
//     ./ridge grade 05-gemm-float32/10-warp-tile
#include "copies.h"
#include "gemm_float32.h"

namespace {

constexpr int kTileM = 128, kTileN = 256, kTileK = 16, kStages = 2;
constexpr int kRows = 16, kCols = 8;     // elements of C per thread
constexpr int kLanesM = 4, kLanesN = 8;  // lanes of a warp: its tile is 64 x 64
constexpr int kWarpM = kLanesM * kRows, kWarpN = kLanesN * kCols;
constexpr int kThreads = 2 * 4 * 32,
              kGroup = 8;  // warps x 32; rows of tiles that are computed together
constexpr int kRegisters =
    244;  // per thread, at most; with 255 the compiler produces more register bank conflicts

struct Tiles {
  float a[kTileK][kTileM + 4];  // [p][row], and 4 floats of padding
  float b[kTileK][kTileN];      // [p][col]
};
constexpr int kBytes = kStages * sizeof(Tiles);  // 512 over 48 KB: must be requested

struct Source {  // what this thread copies next, and what remains of m, n and k from there on
  const float *a, *b;
  int m, n, k;
};

template <bool kAligned>
__device__ void begin_copies(Tiles& to, Source& from, int row_length_a, int row_length_b) {
  const int p_a = threadIdx.x / 128 * 8 + threadIdx.x % 8,
            row_a = threadIdx.x / 8 % 16;  // 4 rows x 8
  const int p_b = threadIdx.x / (kTileN / 4), col_b = threadIdx.x % (kTileN / 4) * 4;
#pragma unroll
  for (int row = 0; row < kTileM; row += kThreads / kTileK)
    copy_async<4>(&to.a[p_a][row_a + row], from.a + (row_a + row) * row_length_a + p_a,
                  row_a + row < from.m && p_a < from.k);
#pragma unroll
  for (int p = 0; p < kTileK; p += kThreads * 4 / kTileN)
#pragma unroll
    for (int e = 0; e < 4; e += kAligned ? 4 : 1)
      copy_async<kAligned ? 16 : 4>(&to.b[p_b + p][col_b + e],
                                    from.b + (p_b + p) * row_length_b + col_b + e,
                                    p_b + p < from.k && col_b + e < from.n);
  __pipeline_commit();
  from.a += kTileK, from.b += kTileK * row_length_b, from.k -= kTileK;
}

// The outer product of one k: acc += a x b. When four rows are complete, their float4 of the next k
// replaces them in `a`.
__device__ void multiply(float (&acc)[kRows][kCols], float (&a)[kRows], const float (&b)[kCols],
                         const float* next_a) {
  // TODO (about 7 lines): all rows, unrolled: the FMAs of row i, its columns in descending order if
  // i is even and in ascending order if it is odd; after every fourth row load_fragment() the
  // float4 of the next k, which is 4 * kLanesM rows further for every four rows.
}

template <bool kAligned>
__global__ void __maxnreg__(kRegisters)
    multiply_warp_tiles(const float* a, const float* b, float* c, int m, int n, int k) {
  extern __shared__ __align__(16) Tiles tiles[];  // [kStages]
  const int tiles_m = (m + kTileM - 1) / kTileM, tiles_n = (n + kTileN - 1) / kTileN;
  const int group = blockIdx.x / (kGroup * tiles_n), in_group = blockIdx.x % (kGroup * tiles_n);
  const int rows = min(kGroup, tiles_m - group * kGroup);
  const int row0 = (group * kGroup + in_group % rows) * kTileM, col0 = in_group / rows * kTileN;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // TODO (2 lines): this thread's first row and column of the block's tile: the warp's tile is
  // kWarpM x kWarpN, the warps numbered along columns first; in it the lanes are arranged as above,
  // four rows and four columns each.
  const int y = 0 * warp, x = 4 * lane;
  float acc[kRows][kCols] = {}, from_a[kRows], from_b[2][kCols];
  Source from{a + row0 * k, b + col0, m - row0, n - col0, k};
  for (int s = 0; s < kStages; ++s)
    begin_copies<kAligned>(tiles[s], from, k, n);
  __pipeline_wait_prior(kStages - 1);
  __syncthreads();
  load_fragments<kRows>(from_a, &tiles[0].a[0][y], kLanesM);
  load_fragments<kCols>(from_b[0], &tiles[0].b[0][x], kLanesN);
  int now = 0;
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    const int next = now + 1 == kStages ? 0 : now + 1;
#pragma unroll
    for (int p = 0; p < kTileK; ++p) {
      const bool last = p == kTileK - 1;
      if (last) {  // this k-step's last fragments are in registers: its buffer is free
        __pipeline_wait_prior(kStages - 2);
        __syncthreads();
        begin_copies<kAligned>(tiles[now], from, k, n);
      }
      const Tiles& of = tiles[last ? next : now];
      load_fragments<kCols>(from_b[(p + 1) % 2], &of.b[(p + 1) % kTileK][x], kLanesN);
      multiply(acc, from_a, from_b[p % 2], &of.a[(p + 1) % kTileK][y]);
    }
    now = next;
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kCols; j += 4)
      store_float4<kAligned>(c, m, n,
                             row0 + y + i / 4 * 4 * kLanesM + i % 4,  // group i / 4, row i % 4
                             col0 + x + j * kLanesN,
                             make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]));
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const int blocks = (m + kTileM - 1) / kTileM * ((n + kTileN - 1) / kTileN);
  const auto kernel = n % 4 == 0 ? multiply_warp_tiles<true> : multiply_warp_tiles<false>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  kernel<<<blocks, kThreads, kBytes, stream>>>(a, b, c, m, n, k);
}
