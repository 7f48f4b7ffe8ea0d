// C = gelu(A B^T + bias): bias and GELU where the result is anyway, in the accumulators.
//
// A linear layer of a transformer is a product, a bias and an activation. As three operations the
// product is stored, loaded, stored, loaded and stored again: 10 bytes per element of C where 2 are
// needed. The element is in a register of the thread that finishes it, as a float: the last place
// where two more operations cost no memory at all is before it is rounded. This is the *epilogue*
// of a matrix product.
//
// The kernel is that of lab 06, rung 10 (gemm_pipeline.h): a producer warpgroup, two consumers with
// 64 x 256 accumulators each, stores of one tile under the MMAs of the next. Between two tiles the
// tensor cores wait for the rounding, and now for GELU as well: 128 elements per thread, about 8
// instructions each. So nothing else may be there. The bias comes from global memory, some hundred
// cycles away: a consumer loads it to shared memory when the tile's first MMAs have started.
//
//     d[2 i], d[2 i + 1]   row  lane / 4 + 8 (i % 2)    columns  8 (i / 2) + 2 (lane % 4), + 1
//
// Two neighbouring i have the same columns: one pair of the bias serves four elements.
//
//     ./ridge grade 07-fused-elementwise/7-gemm-bias-gelu
//
// Hypothesis: 128 elements at 8 instructions are about 2,000 cycles per tile, 3% of a tile's 65,000
// at k = 4096; a library with the same epilogue pays about that, too.
// What changed from 06/10: load_bias() and activated(); the rest of consume() is the same.
// What that bought: one kernel for two or three, and no byte more than the product itself moves.
// Measured on an H200: 100.4% of cublasLt GELU_BIAS (course/measured/nvidia-h200).
#include "gelu.h"
#include "gemm_pipeline.h"

namespace {

// The bias of the tile's columns, a pair per thread of the consumer; 0 beyond the last column (n is
// even). The group waits twice: nobody may still read the pairs of the tile before, and everybody
// must see these. The second wait is in consume(), before the pairs are read.
__device__ void load_bias(Shared& shared, const __nv_bfloat16* bias, int col, int n) {
  const int group = threadIdx.x / 128, pair = threadIdx.x % 128, column = col + 2 * pair;
  sync_warpgroup(group);
  shared.bias[group][pair] = column < n ? *reinterpret_cast<const __nv_bfloat162*>(bias + column)
                                        : __floats2bfloat162_rn(0, 0);
}

// rounded = gelu(d + bias), two bf16 per register.
__device__ void activated(uint32_t (&rounded)[64], const float (&d)[128],
                          const __nv_bfloat162* bias) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const float2 b = __bfloat1622float2(bias[4 * (i / 2) + lane % 4]);
    const __nv_bfloat162 two =
        __floats2bfloat162_rn(gelu(d[2 * i] + b.x), gelu(d[2 * i + 1] + b.y));
    rounded[i] = *reinterpret_cast<const uint32_t*>(&two);
  }
}

__device__ void consume(Shared& shared, const CUtensorMap* map_c, const __nv_bfloat16* bias, int n,
                        const Work& work) {
  PipelineState at;
  float d[128];          // accumulators: this thread's part of 64 x 256
  uint32_t rounded[64];  // the previous tile, two bf16 per register
  int stored = -1;       // the pair whose tile is in `rounded`; -1: none
  const auto store = [&](int box) {
    if (stored >= 0)
      store_columns(shared, rounded, box, map_c, work.row(stored) + threadIdx.x / 128 * 64,
                    work.col(stored));
  };
  for (int pair = work.first; pair < work.pairs; pair += work.stride) {
    int before = -1;  // the stage whose MMAs may still execute
#pragma unroll
    for (int step = 0; step < kBoxes; ++step) {
      if (step < work.steps) start_wgmma(d, shared, at, step > 0);
      if (step == 0) load_bias(shared, bias, work.col(pair), n);
      store(step);
      if (step < work.steps) retire_previous(shared, at, before);
    }
    for (int step = kBoxes; step < work.steps; ++step) {
      start_wgmma(d, shared, at, true);
      retire_previous(shared, at, before);
    }
    wgmma_wait_all(d);
    release(shared, before);
    sync_warpgroup(threadIdx.x / 128);  // all pairs of the bias are stored
    activated(rounded, d, shared.bias[threadIdx.x / 128]);
    stored = pair;
  }
#pragma unroll
  for (int box = 0; box < kBoxes; ++box)
    store(box);
  if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
}

__global__ void __cluster_dims__(kCluster) __launch_bounds__(kThreads, 1)
    multiply_and_activate(const __grid_constant__ CUtensorMap map_a,
                          const __grid_constant__ CUtensorMap map_b,
                          const __grid_constant__ CUtensorMap map_c, const __nv_bfloat16* bias,
                          int m, int n, int k) {
  extern __shared__ unsigned char memory[];
  Shared& shared = aligned_1024<Shared>(memory);
  const Work work(m, n, k);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&shared.full[i], 1);
      init(&shared.empty[i], 4 * kConsumers * kCluster);  // warps
    }
    fence_barrier_init();
  }
  sync_cluster();  // no block arrives at a barrier that is not initialised yet
  if (threadIdx.x >= 128 * kConsumers) {
    warpgroup_reg_dealloc<24>();
    if (threadIdx.x == 128 * kConsumers) produce(shared, &map_a, &map_b, work);
  } else {
    warpgroup_reg_alloc<240>();
    consume(shared, &map_c, bias, n, work);
  }
}

}  // namespace

extern "C" void gemm_bias_gelu(const __nv_bfloat16* a, const __nv_bfloat16* b,
                               const __nv_bfloat16* bias, __nv_bfloat16* c, int m, int n, int k,
                               cudaStream_t stream) {
  const int pairs = (n + kTileN - 1) / kTileN * ((m + kTileM * kCluster - 1) / (kTileM * kCluster));
  int device = 0, processors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int most = processors / kCluster, rounds = (pairs + most - 1) / most;
  const int clusters = (pairs + rounds - 1) / rounds;
  cudaFuncSetAttribute(multiply_and_activate, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  multiply_and_activate<<<clusters * kCluster, kThreads, kSharedBytes, stream>>>(
      tensor_map(a, m, k, kTileM), tensor_map(b, n, k, kTileN / kCluster), tensor_map(c, m, n, 64),
      bias, m, n, k);
}
