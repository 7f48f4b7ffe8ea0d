// Eight-bit operands (fp8).
//
// An fp8 element is half as wide: a box of 128 bytes holds 128 of them along k, a wgmma multiplies
// 32 along k in the time of 16 bf16, and every loaded byte serves twice as many FMAs. The tensor
// cores' rate doubles; so does what the rest of the kernel must supply.
//
// Little of the kernel changes: rows of 128 bytes, 32 bytes of each per wgmma, the same stages,
// boxes, accumulators and stores. Both fp8 operands must be stored along k: this is why b is [n][k]
// in the whole lab.
//
// A property of Hopper that is easy to miss: its fp8 MMAs accumulate with fewer bits than the 24 of
// float32. A kernel that needs them for large k adds up in registers every few k-steps; here the
// tolerance allows for it.
//
//     ./ridge grade 06-gemm-tensor-cores/11-fp8
#include "gemm.h"
#include "hopper.cuh"

namespace {

// TODO (1 line): a box of 128 bytes holds how many fp8 along k?
constexpr int kTileM = 128, kTileN = 256, kTileK = 64, kStages = 4;
constexpr int kCluster = 2;          // blocks one above the other, with the same columns of C
constexpr int kGroup = 8;            // rows of pairs: 2048 rows of C, as many as 8 columns of tiles
constexpr int kBoxes = kTileN / 64;  // boxes of 64 x 64 that a consumer stores per tile
constexpr int kConsumers = 2,
              kThreads = (kConsumers + 1) * 128;  // warpgroups: 64 rows each, and a producer

struct Shared {
  // TODO (2 lines): fp8.
  alignas(1024) __nv_bfloat16 a[kStages][kTileM * kTileK];  // [kTileM][kTileK], swizzled
  alignas(1024) __nv_bfloat16 b[kStages][kTileN * kTileK];  // [kTileN][kTileK], swizzled
  alignas(1024) __nv_bfloat16 c[kConsumers][2][64 * 64];    // two boxes each, swizzled
  uint64_t full[kStages], empty[kStages];
};
constexpr int kSharedBytes = sizeof(Shared) + 1024;  // 1024: to align

struct PipelineState {  // the current stage and the parity of its phase
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

// A cluster's pairs of tiles are first, first + stride, ... of all.
struct Work {
  int pairs_m, pairs_n, pairs, steps;
  int first = blockIdx.x / kCluster, stride = gridDim.x / kCluster, rank = blockIdx.x % kCluster;
  __device__ Work(int m, int n, int k)
      : pairs_m((m + kTileM * kCluster - 1) / (kTileM * kCluster)),
        pairs_n((n + kTileN - 1) / kTileN),
        pairs(pairs_m * pairs_n),
        steps((k + kTileK - 1) / kTileK) {}
  // Groups of kGroup rows of pairs (the last may have fewer), each traversed down its columns.
  __device__ int group(int pair) const { return pair / (kGroup * pairs_n); }
  __device__ int height(int pair) const { return min(kGroup, pairs_m - group(pair) * kGroup); }
  __device__ int in_group(int pair) const { return pair % (kGroup * pairs_n); }
  __device__ int row(int pair) const {
    const int row_of_pairs = group(pair) * kGroup + in_group(pair) % height(pair);
    return (row_of_pairs * kCluster + rank) * kTileM;
  }
  __device__ int col(int pair) const { return in_group(pair) / height(pair) * kTileN; }
};

__device__ void produce(Shared& shared, const CUtensorMap* map_a, const CUtensorMap* map_b,
                        const Work& work) {
  PipelineState at;
  const int half = work.rank * kTileN / kCluster;  // the rows of B that this block loads
  for (int pair = work.first; pair < work.pairs; pair += work.stride)
    for (int step = 0; step < work.steps; ++step, at.advance()) {
      uint64_t* full = &shared.full[at.stage];
      wait(&shared.empty[at.stage], at.parity ^ 1);
      expect_bytes(full, sizeof shared.a[0] + sizeof shared.b[0]);
      tma_load(shared.a[at.stage], map_a, step * kTileK, work.row(pair), full);
      tma_load_multicast(3, shared.b[at.stage] + half * kTileK, map_b, step * kTileK,
                         work.col(pair) + half, full);
    }
  // The other block may still arrive at these barriers: end only after that.
  for (int i = 0; i < kStages; ++i, at.advance())
    wait(&shared.empty[at.stage], at.parity ^ 1);
}

// Each warp reports the end of its own MMAs to both blocks: lane 0 to block 0, lane 1 to block 1.
__device__ void release(Shared& shared, int stage) {
  if (threadIdx.x % 32 < kCluster) arrive_remote(&shared.empty[stage], threadIdx.x % 32);
}

// Starts the MMAs of the stage at `at`.
__device__ void start_wgmma(float (&d)[128], Shared& shared, const PipelineState& at, bool add) {
  // TODO (3 lines): fp8: 32 along k per wgmma.
  const __nv_bfloat16 *a = shared.a[at.stage] + threadIdx.x / 128 * 64 * kTileK,
                      *b = shared.b[at.stage];
  wait(&shared.full[at.stage], at.parity);
  wgmma_fence();
  for (int i = 0; i < kTileK / 16; ++i)
    wgmma(d, smem_desc(a) + 2 * i, smem_desc(b) + 2 * i, add || i > 0);
  wgmma_commit();
}

// Waits for the previous stage's MMAs and releases that stage.
__device__ void retire_previous(Shared& shared, PipelineState& at, int& before) {
  wgmma_wait_all_but_last();
  if (before >= 0) release(shared, before);
  before = at.stage;
  at.advance();
}

// Stores columns 64 box .. 64 box + 63 of this consumer's rows; the tile begins at row, col of C.
__device__ void store_columns(Shared& shared, const uint32_t* rounded, int box,
                              const CUtensorMap* map_c, int row, int col) {
  const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
  const int line =
      threadIdx.x % 128 / 32 * 16 + lane % 16;   // the row whose address this lane passes
  __nv_bfloat16* to = shared.c[group][box % 2];  // [64][64], swizzled
  const bool leader = threadIdx.x % 128 == 0;
  if (leader) tma_store_wait_read<1>();
  sync_warpgroup(group);  // the box is free
#pragma unroll
  for (int j = 0; j < 4; ++j)  // 16 columns: two pieces of 8, one for lanes 0-15 and one for 16-31
    stmatrix_x4(to + line * 64 + ((2 * j + lane / 16) ^ (line % 8)) * 8,  // piece ^ row, swizzled
                rounded + box * 16 + j * 4);
  fence_proxy_async();
  sync_warpgroup(group);  // the box is full
  if (leader) tma_store(map_c, to, col + box * 64, row);
}

__device__ void consume(Shared& shared, const CUtensorMap* map_c, const Work& work) {
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
      store(step);
      if (step < work.steps) retire_previous(shared, at, before);
    }
    for (int step = kBoxes; step < work.steps; ++step) {
      start_wgmma(d, shared, at, true);
      retire_previous(shared, at, before);
    }
    wgmma_wait_all(d);
    release(shared, before);
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      const __nv_bfloat162 two = __floats2bfloat162_rn(d[2 * i], d[2 * i + 1]);
      rounded[i] = *reinterpret_cast<const uint32_t*>(&two);
    }
    stored = pair;
  }
#pragma unroll
  for (int box = 0; box < kBoxes; ++box)
    store(box);
  if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
}

__global__ void __cluster_dims__(kCluster) __launch_bounds__(kThreads, 1)
    multiply_and_store_later(const __grid_constant__ CUtensorMap map_a,
                             const __grid_constant__ CUtensorMap map_b,
                             const __grid_constant__ CUtensorMap map_c, int m, int n, int k) {
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
    consume(shared, &map_c, work);
  }
}

}  // namespace

extern "C" void gemm_fp8(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, __nv_bfloat16* c, int m,
                         int n, int k, cudaStream_t stream) {
  const int pairs = (n + kTileN - 1) / kTileN * ((m + kTileM * kCluster - 1) / (kTileM * kCluster));
  int device = 0, processors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int most = processors / kCluster, clusters = pairs < most ? pairs : most;
  cudaFuncSetAttribute(multiply_and_store_later, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  multiply_and_store_later<<<clusters * kCluster, kThreads, kSharedBytes, stream>>>(
      tensor_map(a, m, k, kTileM), tensor_map(b, n, k, kTileN / kCluster), tensor_map(c, m, n, 64),
      m, n, k);
}
