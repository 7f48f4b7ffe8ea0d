// out[b] = sum of the rows that bag b names: bags of uneven length.
//
// A bag reads many rows and writes one, so the kernel mostly reads. What rung 3 taught stays: 16
// bytes per lane, several rows in flight, indices ahead of the rows, a group of kLanes lanes per
// row.
//
// What is new is that bags are uneven: an empty one, twenty lookups, some hundreds. A warp with
// hundreds works long after the others are done. So a block takes kBags bags, and each group of
// lanes takes the same number of their lookups, wherever bags begin and end:
//
//     bags       |  0  |          1          |2|    3    |
//     groups     |    0    |    1    |    2    |    3    |
//     pieces     | 0,0 |0,1|   1,1   |2,1 |2,2|2,3| 3,3  |      group, bag
//
// A group adds up the rows of its share. Where the bag or the share ends, it stores the sum so far:
// a piece. Piece (group g, bag b) has slot g + b. From one piece to the next, the group or the bag
// is a later one, so no two pieces have the same slot. After a barrier, the pieces of each bag are
// added up.
//
//     ./ridge grade 08-embedding/4-embedding-bag
//
// Hypothesis: one warp per bag ends with a tail, in which a few warps work on long bags and most of
// the machine is idle.
// What changed: the lookups of 16 bags are shared out evenly over the 32 groups of a block.
// What that bought: each group of a block takes the same number of steps, and 16 bags together are
// less uneven than 8. Indices and results are streamed and rows take no place in L1: 8% less time
// on an H100 than with plain loads and stores
// (course/measured/nvidia-h100/trials/launch-trials.md).
// Measured on an H200: 83.0% of the device copy (course/measured/nvidia-h200).
#include "embedding.h"
#include "row_sums.h"

namespace {

constexpr int kThreads = 512;
constexpr int kBags = 16;     // per block
constexpr int kInFlight = 8;  // rows per group of lanes

// The index of lookup first + lane; -1 from `last` on.
__device__ int index_of_lane(const int64_t* indices, int first, int last, int lane) {
  return first + lane < last ? static_cast<int>(__ldcs(indices + first + lane)) : -1;
}

template <int kLanes>  // per row: 16 or 32
__global__ void __launch_bounds__(kThreads, 2)
    add_bags(const uint4* table, const int64_t* indices, const int64_t* offsets, uint4* out,
             int vectors, int bags) {
  constexpr int kGroups = kThreads / kLanes;
  constexpr unsigned kAll = 0xffffffff;
  __shared__ int bounds[kBags + 1];  // bag b has the lookups bounds[b] .. bounds[b + 1] - 1
  __shared__ float pieces[kGroups + kBags][8][kLanes];  // [slot][column of the vector][lane]
  const int group = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  const int first_bag = blockIdx.x * kBags;
  // Every thread loads the block's first and last offset itself: its indices wait for no barrier.
  const int begin = static_cast<int>(offsets[first_bag]),
            end = static_cast<int>(offsets[min(first_bag + kBags, bags)]);
  if (threadIdx.x <= kBags) {
    const int bag = first_bag + threadIdx.x;
    bounds[threadIdx.x] = static_cast<int>(offsets[min(bag, bags)]);
  }
  const int share = (end - begin + kGroups - 1) / kGroups;  // lookups per group
  const int first = begin + group * share, last = min(first + share, end);
  for (int chunk = 0; chunk < vectors; chunk += kLanes) {  // of the columns: one, up to 8 * kLanes
    const int v = chunk + lane;
    int ahead = index_of_lane(indices, first, last, lane);
    __syncthreads();  // `bounds` is written; the pieces of the chunk before are read
    int bag = 0;      // that of the next lookup
    while (bag + 1 < kBags && bounds[bag + 1] <= first)
      ++bag;
    int piece_end = min(bounds[bag + 1], last);
    RowSum sum = {};
    for (int step = 0; step < share; step += kLanes) {
      const int mine = ahead;
      ahead = index_of_lane(indices, first + step + kLanes, last, lane);
      for (int at = 0; at < kLanes && step + at < share; at += kInFlight) {
        uint4 x[kInFlight];
#pragma unroll
        for (int k = 0; k < kInFlight; ++k) {
          const int row = __shfl_sync(kAll, mine, at + k, kLanes);
          x[k] = row < 0 || v >= vectors
                     ? make_uint4(0, 0, 0, 0)
                     : load_once(table + static_cast<int64_t>(row) * vectors + v);
        }
#pragma unroll
        for (int k = 0; k < kInFlight; ++k) {
          const int next = first + step + at + k + 1;
          add(sum, x[k]);
          if (next != piece_end) continue;
#pragma unroll
          for (int e = 0; e < 8; ++e)
            pieces[group + bag][e][lane] = sum.of[e];
          sum = {};
          while (bag + 1 < kBags && bounds[bag + 1] <= next)
            ++bag;
          piece_end = min(bounds[bag + 1], last);
        }
      }
    }
    __syncthreads();
    for (int b = group; b < kBags && first_bag + b < bags; b += kGroups) {
      RowSum total = {};
      if (bounds[b] < bounds[b + 1]) {
        const int last_group = (bounds[b + 1] - 1 - begin) / share;
        for (int g = (bounds[b] - begin) / share; g <= last_group; ++g)
#pragma unroll
          for (int e = 0; e < 8; ++e)
            total.of[e] += pieces[g + b][e][lane];
      }
      if (v < vectors)
        __stcs(out + static_cast<int64_t>(first_bag + b) * vectors + v, packed(total));
    }
  }
}

template <int kLanes>
void launch(const uint4* table, const int64_t* indices, const int64_t* offsets, uint4* out,
            int vectors, int bags, cudaStream_t stream) {
  add_bags<kLanes><<<(bags + kBags - 1) / kBags, kThreads, 0, stream>>>(table, indices, offsets,
                                                                        out, vectors, bags);
}

}  // namespace

extern "C" void embedding_bag(const __nv_bfloat16* table, const int64_t* indices,
                              const int64_t* offsets, __nv_bfloat16* out, int, int cols, int,
                              int bags, cudaStream_t stream) {
  const int vectors = cols / 8;  // of 16 bytes
  const auto run = vectors <= 16 ? launch<16> : launch<32>;
  run(reinterpret_cast<const uint4*>(table), indices, offsets, reinterpret_cast<uint4*>(out),
      vectors, bags, stream);
}
