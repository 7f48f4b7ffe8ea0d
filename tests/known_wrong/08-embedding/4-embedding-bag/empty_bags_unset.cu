// expect: WRONG
// The row of an empty bag is never written.
#include "embedding.h"
#include "row_sums.h"

namespace {

constexpr int kThreads = 256;
constexpr int kBags = 8;      // per block
constexpr int kInFlight = 8;  // rows per group of lanes

template <int kLanes>  // per row: 16 or 32
__global__ void __launch_bounds__(kThreads, 4)
    add_bags(const uint4* table, const int64_t* indices, const int64_t* offsets, uint4* out,
             int vectors, int bags) {
  constexpr int kGroups = kThreads / kLanes;
  constexpr unsigned kAll = 0xffffffff;
  __shared__ int bounds[kBags + 1];  // bag b has the lookups bounds[b] .. bounds[b + 1] - 1
  __shared__ float pieces[kGroups + kBags][8][kLanes];  // [slot][column of the vector][lane]
  const int group = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  const int first_bag = blockIdx.x * kBags;
  if (threadIdx.x <= kBags) {
    const int bag = first_bag + threadIdx.x;
    bounds[threadIdx.x] = static_cast<int>(offsets[bag < bags ? bag : bags]);
  }
  __syncthreads();
  const int begin = bounds[0], end = bounds[kBags];
  const int share = (end - begin + kGroups - 1) / kGroups;  // lookups per group
  const int first = begin + group * share, last = min(first + share, end);
  for (int chunk = 0; chunk < vectors; chunk += kLanes) {  // of the columns: one, up to 8 * kLanes
    const int v = chunk + lane;
    int bag = 0;  // that of the next lookup
    while (bag + 1 < kBags && bounds[bag + 1] <= first)
      ++bag;
    int piece_end = min(bounds[bag + 1], last);
    RowSum sum = {};
    for (int step = 0; step < share; step += kLanes) {
      const int own = first + step + lane;
      const int mine = step + lane < share && own < last ? static_cast<int>(indices[own]) : -1;
      for (int at = 0; at < kLanes && step + at < share; at += kInFlight) {
        uint4 x[kInFlight];
#pragma unroll
        for (int k = 0; k < kInFlight; ++k) {
          const int row = __shfl_sync(kAll, mine, at + k, kLanes);
          x[k] = row < 0 || v >= vectors ? make_uint4(0, 0, 0, 0)
                                         : table[static_cast<int64_t>(row) * vectors + v];
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
      if (v < vectors && bounds[b] < bounds[b + 1])
        out[static_cast<int64_t>(first_bag + b) * vectors + v] = packed(total);
    }
    __syncthreads();  // the pieces are read before the next chunk's overwrite them
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
