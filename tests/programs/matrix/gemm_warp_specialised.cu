// A matrix product the Hopper way: a producer warp keeps four stages of tiles on their way by TMA, two warp
// groups multiply them with wgmma, clusters of two blocks share their B tiles by multicast, and TMA stores
// the result. M, N and K are not multiples of the tile.
#include <cuda_bf16.h>

#include <vector>

#include "tma.h"

constexpr int kTileM = 128, kTileN = 128, kTileK = 64, kStages = 4, kCluster = 2, kConsumers = 2;
constexpr uint32_t kStageBytes = (kTileM + kTileN) * kTileK * 2;

struct Shared {
  alignas(1024) __nv_bfloat16 a[kStages][kTileM * kTileK];
  alignas(1024) __nv_bfloat16 b[kStages][kTileN * kTileK];
  alignas(1024) __nv_bfloat16 c[kConsumers][64 * kTileN];
  uint64_t full[kStages], empty[kStages];
};

// Rows of 128 bytes with the 128-byte swizzle, 8 rows (1024 bytes) after one another.
__device__ uint64_t matrix_descriptor(const void* tile) {
  return (shared_address(tile) & 0x3ffff) >> 4 | uint64_t{1} << 16 | uint64_t{64} << 32 | uint64_t{1} << 62;
}

// d += A (64 x 16) B (16 x 128); accumulate = 0: d = ...
__device__ void multiply(float (&d)[64], uint64_t a, uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 0, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
        "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
        "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
        "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
        "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]),
        "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
        "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]),
        "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]),
        "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "l"(a), "l"(b), "r"(accumulate));
}

__device__ void arrive_in_cluster(uint64_t* barrier, uint32_t rank) {
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
}

__device__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ void produce(Shared& s, const CUtensorMap* a, const CUtensorMap* b, int m, int n, int steps,
                        uint32_t rank) {
  for (int k = 0; k < steps; ++k) {
    const int stage = k % kStages, lap = k / kStages;
    mbarrier_wait(&s.empty[stage], (lap & 1) ^ 1);
    mbarrier_expect(&s.full[stage], kStageBytes);
    load_2d(s.a[stage], a, k * kTileK, m, &s.full[stage]);
    const int half = kTileN / kCluster;
    load_2d_to_blocks(s.b[stage] + static_cast<int>(rank) * half * kTileK, b, k * kTileK,
                      n + static_cast<int>(rank) * half, &s.full[stage], (1 << kCluster) - 1);
  }
}

__device__ void consume(Shared& s, const CUtensorMap* c, int m, int n, int steps, int group) {
  float d[64];
  const int thread = threadIdx.x % 128, lane = thread % 32;
  for (int k = 0; k < steps; ++k) {
    const int stage = k % kStages;
    mbarrier_wait(&s.full[stage], k / kStages & 1);
    const uint64_t a = matrix_descriptor(s.a[stage] + group * 64 * kTileK), b = matrix_descriptor(s.b[stage]);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int i = 0; i < kTileK / 16; ++i)
      multiply(d, a + 2 * i, b + 2 * i, k > 0 || i > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (thread < kCluster) arrive_in_cluster(&s.empty[stage], thread);
  }
  __nv_bfloat16* const tile = s.c[group];
  const int row = thread / 32 * 16 + lane / 4;
  for (int j = 0; j < kTileN / 8; ++j) {
    for (int half = 0; half < 2; ++half) {
      auto* to = reinterpret_cast<__nv_bfloat162*>(tile + (row + 8 * half) * kTileN + 8 * j + lane % 4 * 2);
      *to = __floats2bfloat162_rn(d[4 * j + 2 * half], d[4 * j + 2 * half + 1]);
    }
  }
  publish_shared();
  asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
  if (thread == 0) {
    store_2d(c, n, m + group * 64, tile);
    close_group();
    wait_groups_read<0>();
  }
}

__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(128 * (kConsumers + 1), 1)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
         const __grid_constant__ CUtensorMap c, int steps) {
  extern __shared__ unsigned char memory[];
  Shared& s = *reinterpret_cast<Shared*>((reinterpret_cast<uintptr_t>(memory) + 1023) / 1024 * 1024);
  const int m = blockIdx.x * kTileM, n = blockIdx.y * kTileN, group = threadIdx.x / 128;
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      mbarrier_init(&s.full[i], 1);
      mbarrier_init(&s.empty[i], kConsumers * kCluster);
    }
    mbarrier_publish();
  }
  cluster_sync();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) produce(s, &a, &b, m, n, steps, rank);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    consume(s, &c, m, n, steps, group - 1);
  }
  __syncwarp();
  cluster_sync();  // the other block may still write here, and arrive
}

int main() {
  constexpr int M = 464, N = 344, K = 520;
  std::vector<__nv_bfloat16> a(M * K), b(N * K), c(M * N);
  for (int i = 0; i < M * K; ++i)
    a[i] = __float2bfloat16(static_cast<float>(i * 7 % 9 - 4));
  for (int i = 0; i < N * K; ++i)
    b[i] = __float2bfloat16(static_cast<float>(i * 5 % 7 - 3));
  auto *device_a = device_array<__nv_bfloat16>(a.size()), *device_b = device_array<__nv_bfloat16>(b.size()),
       *device_c = device_array<__nv_bfloat16>(c.size());
  to_device(device_a, a.data(), a.size());
  to_device(device_b, b.data(), b.size());
  check(cudaMemset(device_c, 0xff, c.size() * 2), "cudaMemset");
  const auto map = [](void* data, uint64_t cols, uint64_t rows, uint32_t box_cols, uint32_t box_rows,
                      CUtensorMapSwizzle swizzle) {
    return tiled_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, data, {cols, rows}, {box_cols, box_rows}, swizzle);
  };
  constexpr int kBytes = sizeof(Shared) + 1024;
  check(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes), "attribute");
  const int blocks_m = (M + kTileM - 1) / kTileM, blocks_n = (N + kTileN - 1) / kTileN;
  gemm<<<dim3((blocks_m + kCluster - 1) / kCluster * kCluster, blocks_n), 384, kBytes>>>(
      map(device_a, K, M, kTileK, kTileM, CU_TENSOR_MAP_SWIZZLE_128B),
      map(device_b, K, N, kTileK, kTileN / kCluster, CU_TENSOR_MAP_SWIZZLE_128B),
      map(device_c, N, M, kTileN, 64, CU_TENSOR_MAP_SWIZZLE_NONE), (K + kTileK - 1) / kTileK);
  finish("gemm");
  to_host(c.data(), device_c, c.size());
  int wrong = 0;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k)
        sum += __bfloat162float(a[i * K + k]) * __bfloat162float(b[j * K + k]);
      wrong += __bfloat162float(c[i * N + j]) != __bfloat162float(__float2bfloat16(sum));
    }
  }
  printf("%d x %d x %d: %d of %d wrong\n", M, N, K, wrong, M * N);
}
