// CUB's histogram of n integers in bins of width 1, a baseline. CUB consists of headers: this file
// is the library.
#include <cub/device/device_histogram.cuh>
#include <cub/version.cuh>

namespace {

cudaError_t histogram(void* room, size_t& bytes, void* const* buffers, const int64_t* sizes,
                      cudaStream_t stream) {
  const int bins = static_cast<int>(sizes[1]);
  return cub::DeviceHistogram::HistogramEven(room, bytes, static_cast<const int*>(buffers[0]),
                                             static_cast<int*>(buffers[1]), bins + 1, 0, bins,
                                             static_cast<int>(sizes[0]), stream);
}

}  // namespace

extern "C" int ridge_cub_version() {
  return CUB_VERSION;
}

extern "C" int ridge_cub_histogram_bytes(void* const* buffers, const int64_t* sizes, size_t* bytes) {
  return histogram(nullptr, *bytes, buffers, sizes, nullptr);
}

extern "C" int ridge_cub_histogram(void* room, size_t bytes, void* const* buffers, const int64_t* sizes,
                                   cudaStream_t stream) {
  return histogram(room, bytes, buffers, sizes, stream);
}
