// expect: SLOW
// Half a warp has a bag, however long it is: the other half waits for the longer one.
#include "embedding.h"
#include "row_sums.h"

namespace {

constexpr int kThreads = 256, kLanes = 16;

__global__ void __launch_bounds__(kThreads)
    add_bag_per_group(const uint4* table, const int64_t* indices, const int64_t* offsets,
                      uint4* out, int vectors, int bags) {
  const int lane = threadIdx.x % kLanes, bag = (blockIdx.x * kThreads + threadIdx.x) / kLanes;
  if (bag >= bags) return;
  const unsigned group = 0xffffu << (threadIdx.x % 32 / kLanes * kLanes);
  const int begin = static_cast<int>(offsets[bag]), end = static_cast<int>(offsets[bag + 1]);
  for (int first = 0; first < vectors; first += kLanes) {
    const int v = first + lane;
    RowSum sum = {};
    for (int at = begin; at < end; at += kLanes) {
      const int mine = at + lane < end ? static_cast<int>(indices[at + lane]) : -1;
      for (int k = 0; k < kLanes && at + k < end; ++k) {
        const int row = __shfl_sync(group, mine, k, kLanes);
        if (row >= 0 && v < vectors)
          add(sum, load_once(table + static_cast<int64_t>(row) * vectors + v));
      }
    }
    if (v < vectors) out[static_cast<int64_t>(bag) * vectors + v] = packed(sum);
  }
}

}  // namespace

extern "C" void embedding_bag(const __nv_bfloat16* table, const int64_t* indices,
                              const int64_t* offsets, __nv_bfloat16* out, int, int cols, int,
                              int bags, cudaStream_t stream) {
  add_bag_per_group<<<(bags * kLanes + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
      reinterpret_cast<const uint4*>(table), indices, offsets, reinterpret_cast<uint4*>(out),
      cols / 8, bags);
}
