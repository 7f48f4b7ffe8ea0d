// A stream of chunks through shared memory: one thread fetches them by 1-D bulk copies, several stages ahead;
// the block works on them and sends them back the same way.
#include <vector>

#include "tma.h"

constexpr int kStages = 3, kChunk = 512;

__global__ void polynomial(const float* in, float* out, int chunks) {
  __shared__ __align__(128) float stage[kStages][kChunk], result[2][kChunk];
  __shared__ uint64_t full[kStages];
  const int first = blockIdx.x, step = gridDim.x;
  if (threadIdx.x == 0) {
    for (uint64_t& barrier : full)
      mbarrier_init(&barrier, 1);
    mbarrier_publish();
  }
  __syncthreads();
  const auto fetch = [&](int k) {
    const int chunk = first + k * step;
    if (chunk >= chunks) return;
    mbarrier_expect(&full[k % kStages], kChunk * 4);
    load_bulk(stage[k % kStages], in + chunk * kChunk, kChunk * 4, &full[k % kStages]);
  };
  if (threadIdx.x == 0) {
    for (int k = 0; k < kStages; ++k)
      fetch(k);
  }
  for (int k = 0; first + k * step < chunks; ++k) {
    mbarrier_wait(&full[k % kStages], k / kStages % 2);
    if (threadIdx.x == 0) wait_groups_read<1>();  // the store that used this half of `result` has read it
    __syncthreads();
    for (int i = threadIdx.x; i < kChunk; i += blockDim.x) {
      const float x = stage[k % kStages][i];
      result[k % 2][i] = x * x - 2 * x + k;
    }
    publish_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
      store_bulk(out + (first + k * step) * kChunk, result[k % 2], kChunk * 4);
      close_group();
      fetch(k + kStages);
    }
  }
  if (threadIdx.x == 0) wait_groups<0>();
}

int main() {
  constexpr int kChunks = 101, kCount = kChunks * kChunk, kBlocks = 7;
  std::vector<float> in(kCount), out(kCount);
  for (int i = 0; i < kCount; ++i)
    in[i] = static_cast<float>(i % 1000);
  float *device_in = device_array<float>(kCount), *device_out = device_array<float>(kCount);
  to_device(device_in, in.data(), kCount);
  check(cudaMemset(device_out, 0xff, kCount * 4), "cudaMemset");
  polynomial<<<kBlocks, 128>>>(device_in, device_out, kChunks);
  finish("polynomial");
  to_host(out.data(), device_out, kCount);
  int wrong = 0;
  for (int i = 0; i < kCount; ++i)
    wrong += out[i] != in[i] * in[i] - 2 * in[i] + static_cast<float>(i / kChunk / kBlocks);
  printf("%d chunks through %d stages: %d of %d wrong\n", kChunks, kStages, wrong, kCount);
}
