// Occupancy of kernels.
#include <algorithm>

#include "virtual_gpu/runtime/libcuda/driver.h"

using namespace ridge::driver;

namespace {

// The block size with the most threads per SM, the largest of them, as the runtime's template
// cudaOccupancyMaxPotentialBlockSizeVariableSMem finds it; `grid` fills all SMs with it.
cudaError_t best_block_size(int* grid, int* block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared,
                            int limit, unsigned flags) {
  cudaFuncAttributes known;
  int device = 0, sms = 0, warp = 0, most_threads = 0;
  if (!grid || !block) return cudaErrorInvalidValue;
  for (const cudaError_t error :
       {cudaFuncGetAttributes(&known, kernel_of(function)), cudaGetDevice(&device),
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device),
        cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device),
        cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device)}) {
    if (error != cudaSuccess) return error;
  }
  const int largest = limit == 0 ? known.maxThreadsPerBlock : std::min(limit, known.maxThreadsPerBlock);
  int most = 0;
  for (int aligned = (largest + warp - 1) / warp * warp; aligned > 0 && most < most_threads; aligned -= warp) {
    const int threads = std::min(largest, aligned);
    int blocks = 0;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, kernel_of(function), threads, shared_of ? shared_of(threads) : shared, flags);
    if (error != cudaSuccess) return error;
    if (blocks * threads <= most) continue;
    most = blocks * threads;
    *block = threads;
    *grid = blocks * sms;
  }
  return cudaSuccess;
}

}  // namespace

extern "C" {

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     size_t shared_bytes) {
  return in_context([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel_of(function), threads, shared_bytes);
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads,
                                                              size_t shared_bytes, unsigned flags) {
  return in_context([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel_of(function), threads,
                                                                  shared_bytes, flags);
  });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t shared_bytes, int limit) {
  return in_context([&] { return best_block_size(grid, block, function, shared_of, shared_bytes, limit, 0); });
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared_bytes, int limit,
                                                   unsigned flags) {
  return in_context([&] { return best_block_size(grid, block, function, shared_of, shared_bytes, limit, flags); });
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks, int threads) {
  return in_context([&] {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, kernel_of(function), blocks, threads);
  });
}

}  // extern "C"
