// expect: RACE
// The parts are read before all warps have stored theirs.
#include "embedding.h"
#include "row_sums.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kLong = 64;  // lookups; a longer bag is shared out

template <int kLanes>  // per row: 16 or 32
__global__ void __launch_bounds__(kThreads)
    add_bags(const uint4* table, const int64_t* indices, const int64_t* offsets, uint4* out,
             int vectors, int bags) {
  __shared__ float parts[kWarps][8 * kLanes];  // [warp][column of the chunk]
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first_bag = blockIdx.x * kWarps;
  const auto begin_of = [&](int bag) { return static_cast<int>(offsets[bag < bags ? bag : bags]); };
  for (int chunk = 0; chunk < vectors; chunk += kLanes) {  // of the columns: one, up to 8 * kLanes
    const int v = chunk + lane % kLanes;
    const int own = first_bag + warp, begin = begin_of(own), end = begin_of(own + 1);
    if (own < bags && end - begin <= kLong) {
      const RowSum sum = sum_of_rows<kLanes>(table, indices, begin, end, 1, v, vectors);
      if (lane < kLanes && v < vectors) out[static_cast<int64_t>(own) * vectors + v] = packed(sum);
    }
    for (int bag = first_bag; bag < first_bag + kWarps && bag < bags; ++bag) {
      const int from = begin_of(bag), to = begin_of(bag + 1);
      if (to - from <= kLong) continue;  // the same for the whole block
      // Warp w takes lookups 32 w .. 32 w + 31, and so on every 32 * kWarps.
      const RowSum sum =
          sum_of_rows<kLanes>(table, indices, from + 32 * warp, to, kWarps, v, vectors);
      if (lane < kLanes)
        for (int e = 0; e < 8; ++e)
          parts[warp][e * kLanes + lane] = sum.of[e];
      if (warp == 0 && lane < kLanes && v < vectors) {
        RowSum total = {};
        for (int w = 0; w < kWarps; ++w)
          for (int e = 0; e < 8; ++e)
            total.of[e] += parts[w][e * kLanes + lane];
        out[static_cast<int64_t>(bag) * vectors + v] = packed(total);
      }
      __syncthreads();  // the parts are read before the next long bag overwrites them
    }
  }
}

template <int kLanes>
void launch(const uint4* table, const int64_t* indices, const int64_t* offsets, uint4* out,
            int vectors, int bags, cudaStream_t stream) {
  add_bags<kLanes><<<(bags + kWarps - 1) / kWarps, kThreads, 0, stream>>>(table, indices, offsets,
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
