// CUB's radix sort of n floats, and the k largest by it: CUB 3.0 has no selection of its own. Two
// baselines. CUB consists of headers: this file is the library.
#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>

namespace {

cudaError_t sort(void* room, size_t& bytes, void* const* buffers, const int64_t* sizes, cudaStream_t stream) {
  return cub::DeviceRadixSort::SortKeys(room, bytes, static_cast<const float*>(buffers[0]),
                                        static_cast<float*>(buffers[1]), static_cast<int>(sizes[0]), 0, 32,
                                        stream);
}

// Sorts into the start of `room`, the rest of which is CUB's, and copies k elements.
cudaError_t largest(void* room, size_t& bytes, void* const* buffers, const int64_t* sizes,
                    cudaStream_t stream) {
  const size_t sorted_bytes = (static_cast<size_t>(sizes[0]) * sizeof(float) + 255) / 256 * 256;
  auto* sorted = static_cast<float*>(room);
  void* rest = room ? static_cast<char*>(room) + sorted_bytes : nullptr;
  size_t rest_bytes = room ? bytes - sorted_bytes : 0;
  const cudaError_t code =
      cub::DeviceRadixSort::SortKeysDescending(rest, rest_bytes, static_cast<const float*>(buffers[0]), sorted,
                                               static_cast<int>(sizes[0]), 0, 32, stream);
  if (!room) bytes = sorted_bytes + rest_bytes;
  if (code != cudaSuccess || !room) return code;
  return cudaMemcpyAsync(buffers[1], sorted, static_cast<size_t>(sizes[1]) * sizeof(float),
                         cudaMemcpyDeviceToDevice, stream);
}

}  // namespace

extern "C" int ridge_cub_version() {
  return CUB_VERSION;
}

extern "C" int ridge_cub_sort_bytes(void* const* buffers, const int64_t* sizes, size_t* bytes) {
  return sort(nullptr, *bytes, buffers, sizes, nullptr);
}

extern "C" int ridge_cub_sort(void* room, size_t bytes, void* const* buffers, const int64_t* sizes,
                              cudaStream_t stream) {
  return sort(room, bytes, buffers, sizes, stream);
}

extern "C" int ridge_cub_top_k_bytes(void* const* buffers, const int64_t* sizes, size_t* bytes) {
  return largest(nullptr, *bytes, buffers, sizes, nullptr);
}

extern "C" int ridge_cub_top_k(void* room, size_t bytes, void* const* buffers, const int64_t* sizes,
                               cudaStream_t stream) {
  return largest(room, bytes, buffers, sizes, stream);
}
