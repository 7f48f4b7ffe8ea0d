// Rung 7 of 11: two consumers, 128 x 256.
//
// A larger tile once more: 128 x 256 makes 128 x 256 / (128 + 256) = 85 multiply-adds for an element that is
// brought, where 128 x 128 made 64. Its sums are 32,768 floats, half of an SM's registers: too many for one
// warpgroup (256 a thread), so there are two consumers, with 64 rows each, and one product of 64 x 256 x 16
// does what two did. The tensor cores now have two warpgroups' products to choose from.
//
// One block of 384 threads on an SM begins with 168 registers a thread: 24 + 2 x 240 = 504 = 3 x 168.
//
//     ./ridge grade 06-gemm-tensor-cores/7-two-consumers
//
// What changed from rung 6: kTileN, two consumers with half the rows each, and a stage is free when both say
// so.
// Measured on an H200: 88.7% of the best of cuBLAS (course/measured/nvidia-h200).
#include "gemm.h"
#include "hopper.cuh"

namespace {

constexpr int kTileM = 128, kTileN = 256, kTileK = 64, kStages = 4;
constexpr int kConsumers = 2, kThreads = (kConsumers + 1) * 128;  // warpgroups: 64 rows each, and a producer

struct Shared {
  alignas(1024) __nv_bfloat16 a[kStages][kTileM * kTileK];  // [kTileM][kTileK], swizzled
  alignas(1024) __nv_bfloat16 b[kStages][kTileN * kTileK];  // [kTileN][kTileK], swizzled
  uint64_t full[kStages], empty[kStages];
};
constexpr int kSharedBytes = sizeof(Shared) + 1024;  // 1024: to align

struct Ring {  // where one stands in the ring of stages
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

__device__ void produce(Shared& shared, const CUtensorMap* map_a, const CUtensorMap* map_b, int row0,
                        int col0, int steps) {
  Ring at;
  for (int step = 0; step < steps; ++step, at.advance()) {
    uint64_t* full = &shared.full[at.stage];
    wait(&shared.empty[at.stage], at.parity ^ 1);
    expect_bytes(full, sizeof shared.a[0] + sizeof shared.b[0]);
    load_box(shared.a[at.stage], map_a, step * kTileK, row0, full);
    load_box(shared.b[at.stage], map_b, step * kTileK, col0, full);
  }
}

// Each warp answers for its own products.
__device__ void release(Shared& shared, int stage) {
  if (threadIdx.x % 32 == 0) arrive(&shared.empty[stage]);
}

__device__ void consume(Shared& shared, __nv_bfloat16* c, int row0, int col0, int m, int n, int steps) {
  Ring at;
  const int group = threadIdx.x / 128;
  float d[128];     // this thread's part of 64 x 256
  int before = -1;  // the stage whose products may still run
  for (int step = 0; step < steps; ++step, at.advance()) {
    const __nv_bfloat16 *a = shared.a[at.stage] + group * 64 * kTileK, *b = shared.b[at.stage];
    wait(&shared.full[at.stage], at.parity);
    begin_products();
    for (int i = 0; i < kTileK / 16; ++i)
      multiply(d, describe(a) + 2 * i, describe(b) + 2 * i, step > 0 || i > 0);
    commit_products();
    wait_products_but_last();
    if (before >= 0) release(shared, before);
    before = at.stage;
  }
  wait_products(d);
  store_sums(d, c, row0 + group * 64, col0, m, n);
}

__global__ void __launch_bounds__(kThreads, 1)
    multiply_two_consumers(const __grid_constant__ CUtensorMap map_a,
                           const __grid_constant__ CUtensorMap map_b,
                           __nv_bfloat16* c,  // [m][n]
                           int m, int n, int k) {
  extern __shared__ unsigned char memory[];
  Shared& shared = aligned_1024<Shared>(memory);
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN, steps = (k + kTileK - 1) / kTileK;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&shared.full[i], 1);
      init(&shared.empty[i], 4 * kConsumers);  // warps
    }
    publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x >= 128 * kConsumers) {
    give_registers<24>();
    if (threadIdx.x == 128 * kConsumers) produce(shared, &map_a, &map_b, row0, col0, steps);
  } else {
    take_registers<240>();
    consume(shared, c, row0, col0, m, n, steps);
  }
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n,
                          int k, cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  cudaFuncSetAttribute(multiply_two_consumers, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  multiply_two_consumers<<<grid, kThreads, kSharedBytes, stream>>>(map_of(a, m, k, kTileM),
                                                                   map_of(b, n, k, kTileN), c, m, n, k);
}
