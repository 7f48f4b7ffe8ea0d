// Rung 6 of 11: a producer and a consumer.
//
// Rung 5 brings boxes, then multiplies, then brings boxes. Warps can be given different work: here one thread
// of a second warpgroup, the *producer*, does nothing but ask for boxes, into a ring of stages; the first
// warpgroup, the *consumer*, does nothing but multiply. They never meet at a barrier of the block again. Two
// mbarriers a stage:
//
//     producer                              consumer
//     wait(empty[s])  stage s is free       wait(full[s])   its boxes are here
//     expect_bytes(full[s]), load_box x 2   products; when those of the stage before have ended:
//     next stage                            arrive(empty[s before]), a thread of each warp; next stage
//
// In the ring's n-th lap (from 0) full is waited for with parity n % 2. The producer waits for the *other*
// parity: in lap 0 that is the phase before the first, which counts as ended, and so a new ring is empty.
//
// The producer's warpgroup needs few registers, the consumer 128 for its sums alone. Two blocks of 256
// threads on an SM begin with 128 a thread; the producer gives some back and the consumer takes them: 40 +
// 208 <= 2 x 128.
//
//     ./ridge grade 06-gemm-tensor-cores/6-producer-consumer
//
// What changed from rung 5: who does what, and when. The products are the same; two blocks share an SM, and
// while one stores its tile the other multiplies.
// Measured on an H200: 81.7% of the best of cuBLAS (course/measured/nvidia-h200).
#include "gemm.h"
#include "hopper.cuh"

namespace {

constexpr int kTileM = 128, kTileN = 128, kTileK = 64, kStages = 3;
constexpr int kThreads = 256;  // a consumer and a producer

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
  float d[2][64];   // this thread's part of 64 x 128, twice: rows 0-63 and 64-127 of the tile
  int before = -1;  // the stage whose products may still run
  for (int step = 0; step < steps; ++step, at.advance()) {
    const __nv_bfloat16 *a = shared.a[at.stage], *b = shared.b[at.stage];
    wait(&shared.full[at.stage], at.parity);
    begin_products();
    for (int i = 0; i < kTileK / 16; ++i) {
      multiply(d[0], describe(a) + 2 * i, describe(b) + 2 * i, step > 0 || i > 0);
      multiply(d[1], describe(a + 64 * kTileK) + 2 * i, describe(b) + 2 * i, step > 0 || i > 0);
    }
    commit_products();
    wait_products_but_last();
    if (before >= 0) release(shared, before);
    before = at.stage;
  }
  wait_products(d[0]);
  wait_products(d[1]);
  store_sums(d[0], c, row0, col0, m, n);
  store_sums(d[1], c, row0 + 64, col0, m, n);
}

__global__ void __launch_bounds__(kThreads, 2)
    multiply_specialised(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                         __nv_bfloat16* c,  // [m][n]
                         int m, int n, int k) {
  extern __shared__ unsigned char memory[];
  Shared& shared = aligned_1024<Shared>(memory);
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN, steps = (k + kTileK - 1) / kTileK;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&shared.full[i], 1);
      init(&shared.empty[i], 4);  // the consumer's warps
    }
    publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    give_registers<40>();
    if (threadIdx.x == 128) produce(shared, &map_a, &map_b, row0, col0, steps);
  } else {
    take_registers<208>();
    consume(shared, c, row0, col0, m, n, steps);
  }
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n,
                          int k, cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  cudaFuncSetAttribute(multiply_specialised, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  multiply_specialised<<<grid, kThreads, kSharedBytes, stream>>>(map_of(a, m, k, kTileM),
                                                                 map_of(b, n, k, kTileN), c, m, n, k);
}
