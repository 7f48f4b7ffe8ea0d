// Copies and fills, checked against the allocations and executed by the host.
#pragma once

#include <cstddef>

#include "virtual_gpu/runtime/api/cuda_api.h"

namespace ridge::runtime {

// A box of bytes in pitched memory.
struct Box {
  size_t width_bytes = 0, height = 1, depth = 1;
};
struct PitchedPointer {
  std::byte* data = nullptr;
  size_t pitch_bytes = 0;  // distance between rows
  size_t slice_bytes = 0;  // distance between planes
};
inline PitchedPointer rows(const void* data, size_t pitch) {
  return {const_cast<std::byte*>(static_cast<const std::byte*>(data)), pitch, 0};
}

// All return NVIDIA's codes: cudaErrorInvalidMemcpyDirection for an invalid kind,
// cudaErrorInvalidPitchValue for a pitch below the width, cudaErrorInvalidValue for memory that the
// kind does not permit or that ends too early; a line on stderr explains it.
cudaError_t copy_linear(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous);
cudaError_t copy_box(PitchedPointer destination, PitchedPointer source, Box box, cudaMemcpyKind kind,
                     cudaStream_t stream, bool asynchronous);
// Sets every element of 1, 2 or 4 bytes to `value`.
cudaError_t fill_box(PitchedPointer destination, Box box, int value, cudaStream_t stream, bool asynchronous,
                     size_t element_bytes = 1);

}  // namespace ridge::runtime
