// expect: RACE
// The owner adds the partial tiles of the others without a wait.
#include "gemm_ranks.h"
#include "tile_pipeline.h"

namespace {

constexpr int kGroup = 8;       // rows of pairs of a part that are computed together
constexpr int kSignalStep = 8;  // at this k-step the tile before has usually been stored

// A pair of tiles: of whose part, and where in that part.
struct Pair {
  int owner, row, col;  // row: of this block's tile
};

// The order of a rank's pairs: one for each other rank in turn, then one of its own, `lag` pairs
// behind them, so that the others have sent theirs.
struct Order {
  int rank, count, pairs_m, pairs_n, lag;
  int pairs;  // of a part
  __device__ Order(int rank, int count, int rows, int n)
      : rank(rank),
        count(count),
        pairs_m(pieces_of(rows, kTileM * kCluster)),
        pairs_n(pieces_of(n, kTileN)),
        lag(min(pairs_m * pairs_n, static_cast<int>(gridDim.x) / kCluster)),
        pairs(pairs_m * pairs_n) {}
  __device__ int all() const { return pairs * count; }
  __device__ Pair at(int i) const {
    const int ahead = lag * (count - 1);  // pairs for others before the first own one
    if (i < ahead) return place(i % (count - 1), i / (count - 1));
    i -= ahead;
    const int in_turn = (pairs - lag) * count;  // after these only own ones are left
    if (i >= in_turn) return place(count - 1, pairs - lag + i - in_turn);
    const int turn = i % count;
    return place(turn, i / count + (turn < count - 1 ? lag : 0));
  }
  // Pair `index` of the part that belongs to rank + 1 + turn. Pairs are numbered in groups of
  // kGroup rows, and within a group column by column.
  __device__ Pair place(int turn, int index) const {
    const int group = index / (kGroup * pairs_n), in_group = index % (kGroup * pairs_n);
    const int height = min(kGroup, pairs_m - group * kGroup);
    const int row_of_pairs = group * kGroup + in_group % height;
    return {(rank + 1 + turn) % count,
            (row_of_pairs * kCluster + static_cast<int>(blockIdx.x) % kCluster) * kTileM,
            in_group / height * kTileN};
  }
};

// What each rank has room for: the partial products of this rank, [rows][n].
struct Maps {
  CUtensorMap partials[kMostRanks];
};

struct Sender {
  const GemmRanks& ranks;
  const Maps& maps;
  int rank, rows, n;
  bool leader = threadIdx.x % 128 == 0;

  // Columns 64 box .. of this consumer's 64 rows from (pair.row, pair.col) on.
  __device__ void store(Shared& shared, const uint32_t (&rounded)[64], int box, Pair pair) const {
    const int row = pair.row + threadIdx.x / 128 * 64, col = pair.col + box * 64;
    const bool is_own = pair.owner == rank;
    __nv_bfloat16* const filled = fill_box(shared, rounded, box);
    if (is_own)
      add_and_store(filled, row, col);
    else if (leader)
      tma_store(&maps.partials[pair.owner], filled, col, row);
  }
  // When the stores of a tile are written, its owner may read it.
  __device__ void announce(Pair pair) const {
    if (pair.owner == rank || !leader) return;
    tma_store_wait_written();
    const int row = pair.row + threadIdx.x / 128 * 64;
    set_signal(signal_of(ranks, pair.owner, rank, row, pair.col, rows, n), 1);
  }
  __device__ void wait_for_others(int row, int col) const {
    for (int from = 0; from < ranks.count; ++from)
      while (from != rank && get_signal(signal_of(ranks, rank, from, row, col, rows, n)) == 0) {
      }
  }
  // Adds the partial products of all ranks, in their order, to the result.
  __device__ void add_and_store(__nv_bfloat16* box, int row, int col) const {
#pragma unroll 2
    for (int j = 0; j < 4; ++j) {
      const int in_box = static_cast<int>(threadIdx.x) % 128 + 128 * j;
      const int line = in_box / 8, piece = in_box % 8;
      if (row + line >= rows || col + piece * 8 >= n) continue;  // beyond the part
      const size_t at = static_cast<size_t>(row + line) * n + col + piece * 8;
      SumOf8 sum;
      for (int from = 0; from < ranks.count; ++from) {
        const __nv_bfloat16* const partial = partials_of(ranks, rank, from, rows, n) + at;
        sum.add(from == rank ? *piece_of(box, line, piece)
                             : *reinterpret_cast<const uint4*>(partial));
      }
      *reinterpret_cast<uint4*>(ranks.c[rank] + at) = sum.rounded();
    }
  }
};

__device__ void consume(Shared& shared, const Sender& sender, const Order& order, int steps) {
  PipelineState at;
  float d[128];          // accumulators: this thread's part of 64 x 256
  uint32_t rounded[64];  // the previous tile, two bf16 per register
  Pair stored = {-1};    // whose tile that is; owner -1: none
  for (int i = blockIdx.x / kCluster; i < order.all(); i += gridDim.x / kCluster) {
    int before = -1;  // the stage whose MMAs may still execute
#pragma unroll
    for (int step = 0; step < kBoxes; ++step) {
      if (step < steps) start_wgmma(d, shared, at, step > 0);
      if (stored.owner >= 0) sender.store(shared, rounded, step, stored);
      if (step < steps) retire_previous(shared, at, before);
    }
    for (int step = kBoxes; step < steps; ++step) {
      start_wgmma(d, shared, at, true);
      if (step == kSignalStep && stored.owner >= 0) sender.announce(stored);
      retire_previous(shared, at, before);
    }
    if (steps <= kSignalStep && stored.owner >= 0) sender.announce(stored);
    wgmma_wait_all(d);
    release(shared, before);
    round_tile(d, rounded);
    stored = order.at(i);
  }
#pragma unroll
  for (int box = 0; box < kBoxes; ++box)
    if (stored.owner >= 0) sender.store(shared, rounded, box, stored);
  if (stored.owner >= 0) sender.announce(stored);
  if (sender.leader) tma_store_wait_written();
}

__global__ void __cluster_dims__(kCluster) __launch_bounds__(kThreads, 1)
    multiply_and_scatter(const __grid_constant__ CUtensorMap map_a,
                         const __grid_constant__ CUtensorMap map_b,
                         const __grid_constant__ Maps maps, const __grid_constant__ GemmRanks ranks,
                         int rank, int rows, int n, int k) {
  extern __shared__ unsigned char memory[];
  Shared& shared = aligned_1024<Shared>(memory);
  const Order order(rank, ranks.count, rows, n);
  init_pipeline(shared);
  if (threadIdx.x >= 128 * kConsumers) {
    warpgroup_reg_dealloc<24>();
    if (threadIdx.x == 128 * kConsumers) {
      PipelineState at;
      for (int i = blockIdx.x / kCluster; i < order.all(); i += gridDim.x / kCluster) {
        const Pair pair = order.at(i);
        load_tile(shared, at, &map_a, &map_b, pair.owner * rows + pair.row, pair.col,
                  pieces_of(k, kTileK));
      }
      drain_pipeline(shared, at);
    }
  } else {
    warpgroup_reg_alloc<240>();
    consume(shared, Sender{ranks, maps, rank, rows, n}, order, pieces_of(k, kTileK));
  }
}

// As many clusters as fit, but no more than an equal number of pairs for each needs.
int clusters_for(int pairs) {
  int processors = 0;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  const int most = processors / kCluster, rounds = (pairs + most - 1) / most;
  return (pairs + rounds - 1) / rounds;
}

}  // namespace

extern "C" void gemm_reduce_scatter(GemmRanks ranks, int rows, int n, int k) {
  const int m = ranks.count * rows;
  const int clusters =
      clusters_for(ranks.count * pieces_of(rows, kTileM * kCluster) * pieces_of(n, kTileN));
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    Maps maps;
    for (int owner = 0; owner < ranks.count; ++owner)
      maps.partials[owner] = tensor_map(partials_of(ranks, owner, rank, rows, n), rows, n, 64);
    cudaFuncSetAttribute(multiply_and_scatter, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         kSharedBytes);
    multiply_and_scatter<<<clusters * kCluster, kThreads, kSharedBytes, ranks.streams[rank]>>>(
        tensor_map(ranks.a[rank], m, k, kTileM),
        tensor_map(ranks.b[rank], n, k, kTileN / kCluster), maps, ranks, rank, rows, n, k);
  }
}
