// Matrix products on tensor cores in their usual forms: mma.sync with cp.async and ldmatrix, and
// wgmma with TMA and a ring buffer of mbarriers. C[m][n] = sum over k of A[m][k] B[n][k], f16
// operands and float results.
#include "virtual_gpu/bench/matrix_kernels.h"

#include <cuda.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

__device__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// ---- mma.sync ----

constexpr int kTile = 128, kDepth = 32;  // per block; 8 warps of 64 x 32
// In halves: rows 80 bytes apart have no bank conflicts within a phase.
constexpr int kRow = kDepth + 8;

__device__ void copy_tile(const half* from, half* to, int n) {
  for (int i = threadIdx.x; i < kTile * kDepth / 8; i += blockDim.x) {
    const int row = i / (kDepth / 8), column = i % (kDepth / 8) * 8;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to + row * kRow + column)),
                 "l"(from + static_cast<size_t>(row) * n + column));
  }
}

__device__ void load_four(uint32_t (&r)[4], const half* at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(at)));
}

__global__ __launch_bounds__(256) void gemm_mma(const half* a, const half* b, float* c, int n) {
  __shared__ __align__(128) half tile_a[2][kTile * kRow], tile_b[2][kTile * kRow];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
  a += static_cast<size_t>(blockIdx.y) * kTile * n;
  b += static_cast<size_t>(blockIdx.x) * kTile * n;
  float sums[4][4][4] = {};  // 16 x 8 tiles
  copy_tile(a, tile_a[0], n);
  copy_tile(b, tile_b[0], n);
  asm volatile("cp.async.commit_group;");
  for (int k = 0, stage = 0; k < n; k += kDepth, stage ^= 1) {
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    if (k + kDepth < n) {
      copy_tile(a + k + kDepth, tile_a[stage ^ 1], n);
      copy_tile(b + k + kDepth, tile_b[stage ^ 1], n);
      asm volatile("cp.async.commit_group;");
    }
    for (int step = 0; step < kDepth; step += 16) {
      uint32_t from_a[4][4], from_b[2][4];
      for (int i = 0; i < 4; ++i)
        load_four(from_a[i], tile_a[stage] + (warp_row + i * 16 + lane % 16) * kRow + step + lane / 16 * 8);
      for (int j = 0; j < 2; ++j)
        load_four(from_b[j], tile_b[stage] + (warp_column + j * 16 + lane / 16 * 8 + lane % 8) * kRow + step + lane / 8 % 2 * 8);
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          float(&d)[4] = sums[i][j];
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
              : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
              : "r"(from_a[i][0]), "r"(from_a[i][1]), "r"(from_a[i][2]), "r"(from_a[i][3]), "r"(from_b[j / 2][j % 2 * 2]),
                "r"(from_b[j / 2][j % 2 * 2 + 1]));
        }
      }
    }
  }
  c += (static_cast<size_t>(blockIdx.y) * kTile + warp_row + lane / 4) * n + blockIdx.x * kTile + warp_column + lane % 4 * 2;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int half_tile = 0; half_tile < 2; ++half_tile)
        *reinterpret_cast<float2*>(c + static_cast<size_t>(i * 16 + half_tile * 8) * n + j * 8) =
            make_float2(sums[i][j][half_tile * 2], sums[i][j][half_tile * 2 + 1]);
    }
  }
}

// ---- wgmma and TMA ----

constexpr int kStages = 4, kRows = 128, kColumns = 256, kSlice = 64;
constexpr int kBytesA = kRows * kSlice * 2, kBytesB = kColumns * kSlice * 2;
constexpr int kGroups = kColumns / 8;

__device__ void wait_for(uint64_t* barrier, int parity) {
  asm volatile(
      "{\n .reg .pred p;\nAGAIN:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @p bra DONE;\n bra AGAIN;\nDONE:\n}" ::"r"(
          shared_address(barrier)),
      "r"(parity)
      : "memory");
}

__device__ void load_box(void* to, const CUtensorMap* map, int x, int y, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
}

__device__ uint64_t descriptor(const void* tile) {  // K-major, 128-byte swizzle, 8 rows every 1024 bytes
  return (shared_address(tile) & 0x3ffff) >> 4 | 1ull << 16 | uint64_t{1024 >> 4} << 32 | 1ull << 62;
}

#define FOUR(g) "+f"(d[g][0]), "+f"(d[g][1]), "+f"(d[g][2]), "+f"(d[g][3])
#define SIXTEEN(g) FOUR(g), FOUR(g + 1), FOUR(g + 2), FOUR(g + 3)

__device__ void multiply(float (&d)[kGroups][4], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,"
      "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,"
      "%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,"
      "%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,"
      "%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,"
      "%127}, %128, %129, 1, 1, 1, 0, 0;"
      : SIXTEEN(0), SIXTEEN(4), SIXTEEN(8), SIXTEEN(12), SIXTEEN(16), SIXTEEN(20), SIXTEEN(24), SIXTEEN(28)
      : "l"(a), "l"(b));
}

__global__ __launch_bounds__(384) void gemm_wgmma(const __grid_constant__ CUtensorMap map_a,
                                                  const __grid_constant__ CUtensorMap map_b, float* c, int n) {
  extern __shared__ __align__(1024) unsigned char shared[];
  unsigned char* const tiles_a = shared;
  unsigned char* const tiles_b = shared + kStages * kBytesA;
  __shared__ __align__(8) uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(full + i)));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(shared_address(empty + i)));
    }
    asm volatile("fence.proxy.async.shared::cta;");
  }
  __syncthreads();
  const int group = threadIdx.x / 128, steps = n / kSlice;
  if (group == 0) {
    if (threadIdx.x == 0) {
      for (int i = 0; i < steps; ++i) {
        const int stage = i % kStages;
        wait_for(empty + stage, (i / kStages & 1) ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(full + stage)),
                     "r"(kBytesA + kBytesB));
        load_box(tiles_a + stage * kBytesA, &map_a, i * kSlice, blockIdx.y * kRows, full + stage);
        load_box(tiles_b + stage * kBytesB, &map_b, i * kSlice, blockIdx.x * kColumns, full + stage);
      }
    }
    return;
  }
  float d[kGroups][4] = {};
  for (int i = 0; i < steps; ++i) {
    const int stage = i % kStages;
    wait_for(full + stage, i / kStages & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    const unsigned char* a = tiles_a + stage * kBytesA + (group - 1) * 64 * 128;
    const unsigned char* b = tiles_b + stage * kBytesB;
#pragma unroll
    for (int k = 0; k < kSlice / 16; ++k)
      multiply(d, descriptor(a + k * 32), descriptor(b + k * 32));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (threadIdx.x % 128 == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(empty + stage)) : "memory");
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  c += (static_cast<size_t>(blockIdx.y) * kRows + (group - 1) * 64 + warp * 16 + lane / 4) * n + blockIdx.x * kColumns + lane % 4 * 2;
  for (int j = 0; j < kGroups; ++j) {
    *reinterpret_cast<float2*>(c + j * 8) = make_float2(d[j][0], d[j][1]);
    *reinterpret_cast<float2*>(c + static_cast<size_t>(8) * n + j * 8) = make_float2(d[j][2], d[j][3]);
  }
}

// ---- both ----

CUtensorMap tensor_map(half* matrix, int n, int rows) {
  using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                              const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found),
        "cuTensorMapEncodeTiled");
  CUtensorMap map;
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(n), static_cast<cuuint64_t>(n)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(n) * 2};
  const cuuint32_t box[] = {kSlice, static_cast<cuuint32_t>(rows)}, steps[] = {1, 1};
  const CUresult result = reinterpret_cast<Encode>(function)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    std::fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", static_cast<int>(result));
    std::exit(1);
  }
  return map;
}

void run(int n, bool warpgroups) {
  const size_t count = static_cast<size_t>(n) * n;
  std::vector<half> host[2] = {std::vector<half>(count), std::vector<half>(count)};
  unsigned seed = 1;
  for (auto& matrix : host) {
    for (half& value : matrix) {
      seed = seed * 1664525u + 1013904223u;
      // Sums are exact.
      value = __float2half(static_cast<float>(static_cast<int>(seed >> 20) % 17 - 8) * 0.125f);
    }
  }
  half* device[2];
  float* c;
  for (int i = 0; i < 2; ++i) {
    check(cudaMalloc(&device[i], count * sizeof(half)), "cudaMalloc");
    check(cudaMemcpy(device[i], host[i].data(), count * sizeof(half), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  check(cudaMalloc(&c, count * sizeof(float)), "cudaMalloc");
  if (warpgroups) {
    const int bytes = kStages * (kBytesA + kBytesB);
    check(cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "shared memory");
    gemm_wgmma<<<dim3(n / kColumns, n / kRows), 384, bytes>>>(tensor_map(device[0], n, kRows),
                                                              tensor_map(device[1], n, kColumns), c, n);
  } else {
    gemm_mma<<<dim3(n / kTile, n / kTile), 256>>>(device[0], device[1], c, n);
  }
  check(cudaGetLastError(), "launch");
  check(cudaDeviceSynchronize(), "matrix product");
  for (int i = 0; i < 16; ++i) {
    const size_t row = static_cast<size_t>(i) * 7919 % n, column = static_cast<size_t>(i) * 104729 % n;
    double sum = 0;
    for (int k = 0; k < n; ++k)
      sum += static_cast<double>(__half2float(host[0][row * n + k])) * __half2float(host[1][column * n + k]);
    float got = 0;
    check(cudaMemcpy(&got, c + row * n + column, sizeof got, cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (!(std::fabs(got - sum) <= 1e-3)) {
      std::fprintf(stderr, "matrix product: got %g, expected %g\n", got, sum);
      std::exit(1);
    }
  }
}

}  // namespace

bool run_matrix_benchmark(const char* name) {
  if (!std::strcmp(name, "mma-2048"))
    run(2048, false);
  else if (!std::strcmp(name, "wgmma-tma-4096"))
    run(4096, true);
  else
    return false;
  return true;
}
