// The baseline of attention that decodes: reads the keys and the values once, 16 bytes per lane with
// eight loads in flight per thread, and writes nothing. It is the kernel that measures the roof
// (timing.cu), on two arrays.
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 256, kInFlight = 8, kBytesPerRow = 256;

__global__ void read_both(const uint4* keys, const uint4* values, int64_t vectors, unsigned* out) {
  const int64_t threads = static_cast<int64_t>(gridDim.x) * kThreads;
  unsigned sum = 0;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < vectors;
       i += threads * (kInFlight / 2)) {
    uint4 x[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight / 2; ++k) {
      const bool inside = i + k * threads < vectors;
      x[2 * k] = inside ? keys[i + k * threads] : make_uint4(0, 0, 0, 0);
      x[2 * k + 1] = inside ? values[i + k * threads] : make_uint4(0, 0, 0, 0);
    }
#pragma unroll
    for (int k = 0; k < kInFlight; ++k)
      sum ^= x[k].x ^ x[k].y ^ x[k].z ^ x[k].w;
  }
  if (sum == 0x12345678u) *out = sum;
}

}  // namespace

// Buffers 1 and 2 are the keys and the values, rows of 256 bytes; the sizes are batch, kv_heads, group and
// keys, and the sizes after these are not used here.
extern "C" int ridge_cache_read(void* const* buffers, const int64_t* sizes, const double*, cudaStream_t stream) {
  int device = 0, processors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int64_t vectors = sizes[0] * sizes[1] * sizes[3] * kBytesPerRow / 16;
  read_both<<<processors * 8, kThreads, 0, stream>>>(static_cast<const uint4*>(buffers[1]),
                                                     static_cast<const uint4*>(buffers[2]), vectors,
                                                     static_cast<unsigned*>(buffers[0]));
  return cudaGetLastError();
}
