// saxpy with a small grid of threads that take a chunk each, and loads without a purpose.
#include <cuda_runtime.h>

#include <algorithm>

namespace {

__global__ void saxpy_chunks(float alpha, const float* x, float* y, int n) {
  const int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int chunk = (n + threads - 1) / threads;
  for (int i = thread * chunk; i < (thread + 1) * chunk && i < n; ++i) {
    y[i] = alpha * x[i] + y[i];
    if (n < 4) continue;
    const float4 idle = reinterpret_cast<const float4*>(x)[(thread + i) % (n / 4)];
    if (idle.x == 1e30f && idle.w == -1e30f) y[i] = idle.y;
  }
}

}  // namespace

extern "C" void saxpy(float alpha, const float* x, float* y, int n, cudaStream_t stream) {
  saxpy_chunks<<<std::min((n + 255) / 256, 528), 256, 0, stream>>>(alpha, x, y, n);
}
