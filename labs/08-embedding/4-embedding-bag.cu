// out[b] = sum of the rows that bag b names: bags of uneven length.
//
// A bag reads many rows and writes one, so the kernel mostly reads. What rung 3 taught stays: 16
// bytes per lane, several rows in flight, indices ahead of the rows. A warp takes a bag; with 128
// columns its two groups of 16 lanes take every second lookup each, and add their sums at the end.
//
// What is new is that bags are uneven: an empty one, twenty lookups, some hundreds. A warp with
// hundreds works long after the others are done. So a block of 8 warps takes 8 bags twice:
//
//     first  each warp adds up its own bag, unless it is long
//     then   all 8 warps add up each of the long ones, and meet in shared memory
//
//     ./ridge grade 08-embedding/4-embedding-bag
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
      // TODO (about 15 lines): all warps add up this bag. Warp w takes the lookups 32 w .. 32 w +
      // 31 of the bag, and so on every 32 * kWarps (the argument `every` of sum_of_rows). Each warp
      // stores its sum in parts[warp], and after a barrier warp 0 adds up the parts and stores the
      // row of out. What must happen before the next long bag overwrites the parts? Until you do,
      // long bags are not written.
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
