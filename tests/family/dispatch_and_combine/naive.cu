// Every rank loads the rows that it is to get, one float per thread; a block per row.
#include <cuda_runtime.h>

#include <cstdint>

struct Ranks {
  int count;
  const float* inputs[8];
  float* outputs[8];
  unsigned* signals[8];
  cudaStream_t streams[8];
};
struct CountsOfRanks {
  const int64_t* of[8];
};

namespace {

// Row `row` of what the rank gets, by its sender; `back`: of the results.
__global__ void fetch(Ranks from, Ranks to, CountsOfRanks counts, int rank, bool back, int width) {
  int64_t row = blockIdx.x;
  for (int peer = 0; peer < to.count; ++peer) {
    const int64_t rows = back ? counts.of[rank][peer] : counts.of[peer][rank];
    if (row >= rows) {
      row -= rows;
      continue;
    }
    for (int other = 0; other < rank; ++other)
      row += back ? counts.of[other][peer] : counts.of[peer][other];
    for (int i = threadIdx.x; i < width; i += blockDim.x)
      to.outputs[rank][blockIdx.x * static_cast<int64_t>(width) + i] =
          from.inputs[peer][row * width + i];
    return;
  }
}

}  // namespace

extern "C" void dispatch_and_combine(Ranks dispatch, Ranks combine, CountsOfRanks counts,
                                     int tokens, int width) {
  for (int rank = 0; rank < dispatch.count; ++rank) {
    cudaSetDevice(rank);
    fetch<<<tokens * dispatch.count, 128, 0, dispatch.streams[rank]>>>(dispatch, dispatch, counts,
                                                                       rank, false, width);
    fetch<<<tokens, 128, 0, dispatch.streams[rank]>>>(combine, combine, counts, rank, true, width);
  }
}
