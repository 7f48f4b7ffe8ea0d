// CUB's inclusive sum of n floats, a baseline. CUB consists of headers: this file is the library.
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

namespace {

cudaError_t scan(void* room, size_t& bytes, void* const* buffers, const int64_t* sizes, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSum(room, bytes, static_cast<const float*>(buffers[0]),
                                       static_cast<float*>(buffers[1]), static_cast<int>(sizes[0]), stream);
}

}  // namespace

extern "C" int ridge_cub_version() {
  return CUB_VERSION;
}

extern "C" int ridge_cub_scan_bytes(void* const* buffers, const int64_t* sizes, size_t* bytes) {
  return scan(nullptr, *bytes, buffers, sizes, nullptr);
}

extern "C" int ridge_cub_scan(void* room, size_t bytes, void* const* buffers, const int64_t* sizes,
                              cudaStream_t stream) {
  return scan(room, bytes, buffers, sizes, stream);
}
