// Rank 0 loads all inputs, adds them, and stores the sums to all ranks, 16 bytes per lane where it can.
#include <cuda_runtime.h>

struct Ranks {
  int count;
  const float* inputs[8];
  float* outputs[8];
  unsigned* signals[8];
  cudaStream_t streams[8];
};

namespace {

__global__ void add_for_all(Ranks ranks, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 sum = {};
    for (int other = 0; other < ranks.count; ++other) {
      const float4 value = reinterpret_cast<const float4*>(ranks.inputs[other])[i];
      sum = make_float4(sum.x + value.x, sum.y + value.y, sum.z + value.z, sum.w + value.w);
    }
    for (int other = 0; other < ranks.count; ++other)
      reinterpret_cast<float4*>(ranks.outputs[other])[i] = sum;
  }
  if (const int rest = n / 4 * 4 + i; rest < n) {
    float sum = 0;
    for (int other = 0; other < ranks.count; ++other)
      sum += ranks.inputs[other][rest];
    for (int other = 0; other < ranks.count; ++other)
      ranks.outputs[other][rest] = sum;
  }
}

}  // namespace

extern "C" void all_reduce(Ranks ranks, int n) {
  cudaSetDevice(0);
  add_for_all<<<(n / 4 + 256) / 256, 256, 0, ranks.streams[0]>>>(ranks, n);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(done, ranks.streams[0]);
  for (int rank = 1; rank < ranks.count; ++rank)
    cudaStreamWaitEvent(ranks.streams[rank], done, 0);
  cudaEventDestroy(done);
}
