// CUB's sum of n floats, the baseline of the reductions. CUB consists of headers, so this file
// takes the role of the library: it is compiled on first use and opened by the child with dlopen.
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

extern "C" int ridge_cub_version() {
  return CUB_VERSION;
}

extern "C" int ridge_cub_sum_bytes(const float* in, float* out, long long n, size_t* bytes) {
  return cub::DeviceReduce::Sum(nullptr, *bytes, in, out, n);
}

extern "C" int ridge_cub_sum(void* room, size_t bytes, const float* in, float* out, long long n, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(room, bytes, in, out, n, stream);
}
