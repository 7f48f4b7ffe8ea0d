// cudaOccupancyMaxPotentialBlockSize and its kind: the block size with the most resident threads per SM, found
// by trying every multiple of a warp from the largest on.
#pragma once

#include "ridge_cuda/host/templates.h"

template <class Kernel, class SharedBytesOf>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, Kernel kernel,
                                                           SharedBytesOf shared_bytes_of,
                                                           int most_threads = 0) {
  if (!grid || !block) return cudaErrorInvalidValue;
  const void* function = reinterpret_cast<const void*>(kernel);
  int device = 0, sms = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, function);
  if (error != cudaSuccess) return error;
  int limit = attributes.maxThreadsPerBlock;
  if (most_threads > 0 && most_threads < limit) limit = most_threads;
  int best_resident = 0;
  for (int threads = limit; threads > 0; threads = (threads - 1) / 32 * 32) {
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads,
                                                          shared_bytes_of(threads));
    if (error != cudaSuccess) return error;
    if (blocks * threads <= best_resident) continue;
    best_resident = blocks * threads;
    *block = threads;
    *grid = blocks * sms;
  }
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel kernel,
                                               size_t shared_bytes = 0, int most_threads = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [=](int) { return shared_bytes; }, most_threads);
}
