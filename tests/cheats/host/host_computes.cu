// Copies the inputs to the host, adds there and copies the sum back; no kernel runs.
#include <vector>

#include "add.cuh"

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  std::vector<float> x(n), y(n);
  cudaMemcpyAsync(x.data(), a, sizeof(float) * n, cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(y.data(), b, sizeof(float) * n, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (int i = 0; i < n; ++i)
    x[i] += y[i];
  cudaMemcpyAsync(c, x.data(), sizeof(float) * n, cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
