// expect: WRONG
// The last group is assumed to have 8 rows of tiles.
#include "copies.h"
#include "gemm_float32.h"

namespace {

constexpr int kTileM = 128, kTileN = 256, kTileK = 8, kStages = 3;
constexpr int kRows = 16, kCols = 8;     // elements of C per thread
constexpr int kLanesM = 4, kLanesN = 8;  // lanes of a warp: its tile is 64 x 64
constexpr int kWarpM = kLanesM * kRows, kWarpN = kLanesN * kCols;
constexpr int kThreads = kTileM / kWarpM * kTileN / kWarpN * 32;  // 256: 2 x 4 warps
constexpr int kGroup = 8;  // tile rows that are taken together

struct Tiles {
  float a[kTileK][kTileM + 4];  // [p][row], and 4 floats of padding
  float b[kTileK][kTileN];      // [p][col]
};

struct Source {  // what this thread copies next, and what remains of m, n and k from there on
  const float *a, *b;
  int m, n, k;
};

template <bool kAligned>
__device__ void begin_copies(Tiles& to, Source& from, int row_length_a, int row_length_b) {
  const int p_a = threadIdx.x % kTileK, row_a = threadIdx.x / kTileK;
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
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int j = 0; j < kCols; ++j) {
      const int col = i % 2 ? kCols - 1 - j : j;
      acc[i][col] = fmaf(a[i], b[col], acc[i][col]);
    }
    if (i % 4 == 3) load_fragment(a + i - 3, next_a + i / 4 * 4 * kLanesM);
  }
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 1)
    multiply_warp_tiles(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ __align__(16) Tiles tiles[kStages];
  const int tiles_m = (m + kTileM - 1) / kTileM, tiles_n = (n + kTileN - 1) / kTileN;
  const int group = blockIdx.x / (kGroup * tiles_n), in_group = blockIdx.x % (kGroup * tiles_n);
  const int rows = kGroup;
  const int row0 = (group * kGroup + in_group % rows) * kTileM, col0 = in_group / rows * kTileN;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int y = warp / (kTileN / kWarpN) * kWarpM + (lane % 2 + lane / 16 * 2) * 4;
  const int x = warp % (kTileN / kWarpN) * kWarpN + lane / 2 % 8 * 4;
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
      store_float4<kAligned>(c, m, n, row0 + y + i / 4 * 4 * kLanesM + i % 4,
                             col0 + x + j * kLanesN,
                             make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]));
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const int blocks = (m + kTileM - 1) / kTileM * ((n + kTileN - 1) / kTileN);
  const auto kernel = n % 4 == 0 ? multiply_warp_tiles<true> : multiply_warp_tiles<false>;
  kernel<<<blocks, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
