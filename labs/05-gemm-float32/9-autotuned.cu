// Tile sizes that were measured, not guessed.
//
// Rung 8 has constants that were never chosen: 128, 128, 8, 8, 8, 2. They decide how often an
// element is used once it is in shared memory (kTileM, kTileN) and in a register (kRows, kCols),
// how far the copies run ahead (kStages) and how many blocks an SM holds. Larger is better until
// registers (255 per thread, 65,536 per SM) or shared memory run out. Which set is best cannot be
// derived: it is measured. What can be derived is which sets are worth measuring:
//
//     float4 loads from shared memory per 100 FMAs     100 (kRows + kCols) / 4 / (kRows kCols)
//     accumulators, which occupy registers throughout  kRows kCols
//     shared memory, bytes                             4 kStages kTileK (kTileM + 4 + kTileN)
//
// The comments that begin with `tune:` list the values to try. With a GPU `ridge tune` measures
// them; without one, with --dry, it lists what is worth measuring.
//
//     ./ridge tune 05-gemm-float32/9-autotuned
//     ./ridge grade 05-gemm-float32/9-autotuned
#include "copies.h"
#include "gemm_float32.h"

namespace {

// TODO (6 lines): these are rung 8's values. Choose better ones by the arithmetic above, within the
// static_asserts.
constexpr int kTileM = 128;  // tune: 64, 128, 256      rows of C per block
constexpr int kTileN = 128;  // tune: 64, 128, 256      columns of C per block
constexpr int kTileK = 8;    // tune: 8, 16             a k-step
constexpr int kRows = 8;     // tune: 4, 8, 16          rows of C per thread, in groups of 4
constexpr int kCols = 8;     // tune: 4, 8, 16          columns of C per thread, in groups of 4
constexpr int kStages = 2;   // tune: 2, 3, 4           buffers: copies run kStages - 1 steps ahead

constexpr int kThreadsM = kTileM / kRows, kThreadsN = kTileN / kCols;
constexpr int kThreads = kThreadsM * kThreadsN;  // per block
static_assert(kThreads >= 64 && kThreads <= 1024 && kThreads % 32 == 0,
              "a block has 2 to 32 whole warps");
static_assert(kRows % 4 == 0 && kCols % 4 == 0, "a thread holds groups of 4");
static_assert(4 * kStages * kTileK * (kTileM + 4 + kTileN) <= 49152,
              "static shared memory is 48 KB at most");

struct Tiles {
  float a[kTileK][kTileM + 4];  // [p][row], and 4 floats of padding
  float b[kTileK][kTileN];      // [p][col]
};

// Starts the copies of columns k0 .. of A and rows k0 .. of B.
template <bool kAligned>
__device__ void begin_copies(Tiles& to, const float* a, const float* b, int m, int n, int k,
                             int row0, int col0, int k0) {
  for (int i = threadIdx.x; i < kTileM * kTileK; i += kThreads) {
    const int row = i / kTileK, p = i % kTileK;
    copy_float_async(&to.a[p][row], a, m, k, row0 + row, k0 + p);
  }
  for (int i = threadIdx.x; i < kTileK * kTileN / 4; i += kThreads) {
    const int p = i / (kTileN / 4), col = i % (kTileN / 4) * 4;
    copy_float4_async<kAligned>(&to.b[p][col], b, k, n, k0 + p, col0 + col);
  }
  __pipeline_commit();
}

__device__ void multiply(float (&acc)[kRows][kCols], const Tiles& tiles, int x, int y) {
#pragma unroll
  for (int p = 0; p < kTileK; ++p) {
    float from_a[kRows], from_b[kCols];
    for (int i = 0; i < kRows; i += 4)
      *reinterpret_cast<float4*>(from_a + i) =
          *reinterpret_cast<const float4*>(&tiles.a[p][y + i * kThreadsM]);
    for (int j = 0; j < kCols; j += 4)
      *reinterpret_cast<float4*>(from_b + j) =
          *reinterpret_cast<const float4*>(&tiles.b[p][x + j * kThreadsN]);
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kCols; ++j)
        acc[i][j] += from_a[i] * from_b[j];
  }
}

template <bool kAligned>  // n is a multiple of 4
__global__ void __launch_bounds__(kThreads) multiply_multistage(const float* a,  // [m][k]
                                                                const float* b,  // [k][n]
                                                                float* c,        // [m][n]
                                                                int m, int n, int k) {
  __shared__ __align__(16) Tiles tiles[kStages];
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN;
  const int x = threadIdx.x % kThreadsN * 4, y = threadIdx.x / kThreadsN * 4;
  float acc[kRows][kCols] = {};
  for (int s = 0; s < kStages - 1; ++s)
    begin_copies<kAligned>(tiles[s], a, b, m, n, k, row0, col0, s * kTileK);
  int now = 0;
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    const int free =
        now == 0 ? kStages - 1 : now - 1;  // of the previous k-step; past k it is filled with 0
    begin_copies<kAligned>(tiles[free], a, b, m, n, k, row0, col0, k0 + (kStages - 1) * kTileK);
    multiply(acc, tiles[now], x, y);
    now = now + 1 == kStages ? 0 : now + 1;
  }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kCols; j += 4)
      store_float4<kAligned>(c, m, n,
                             row0 + y + i / 4 * 4 * kThreadsM + i % 4,  // group i / 4, row i % 4
                             col0 + x + j * kThreadsN,
                             make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]));
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  const auto kernel = n % 4 == 0 ? multiply_multistage<true> : multiply_multistage<false>;
  kernel<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
