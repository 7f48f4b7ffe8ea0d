// CUDA arrays: memory that only textures, surfaces and copies access. Here the rows are stored one
// after the other.
#pragma once

#include "virtual_gpu/machine/texture/texture.h"
#include "virtual_gpu/runtime/work/copy.h"
#include "virtual_gpu/runtime/api/cuda_api.h"

namespace ridge::runtime {

struct Device;

struct Array {
  cudaChannelFormatDesc description{};
  cudaExtent extent{};  // as requested: height and depth may be 0
  unsigned flags = 0;
  int device = 0;
  machine::TexelMemory memory;

  size_t texel_bytes() const { return memory.format.texel_bytes(); }
  // The address at which a copy of a box begins; x in bytes.
  PitchedPointer at(size_t x_bytes, size_t y, size_t z) const;
  bool holds(size_t x_bytes, size_t y, size_t z, const Box& box) const;
};

// False for formats that no texture can read (three channels, channels of different widths,
// compressed blocks).
bool texel_format(const cudaChannelFormatDesc& description, machine::TexelFormat& format);

// Checks the handle: null when it is not an array.
std::shared_ptr<Array> array_behind(cudaArray_const_t handle);

}  // namespace ridge::runtime
