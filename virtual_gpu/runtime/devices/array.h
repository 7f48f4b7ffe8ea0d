// CUDA arrays: memory that only textures, surfaces and copies reach. Here rows one after the other.
#pragma once

#include "virtual_gpu/machine/texture/texture.h"
#include "virtual_gpu/runtime/work/copy.h"
#include "virtual_gpu/runtime/api/cuda_api.h"

namespace ridge::runtime {

struct Device;

struct Array {
  cudaChannelFormatDesc description{};
  cudaExtent extent{};  // as asked for: height and depth are 0 where there is none
  unsigned flags = 0;
  int device = 0;
  machine::TexelMemory memory;

  size_t texel_bytes() const { return memory.format.texel_bytes(); }
  // Where the copy of a box begins; x in bytes.
  PitchedPointer at(size_t x_bytes, size_t y, size_t z) const;
  bool holds(size_t x_bytes, size_t y, size_t z, const Box& box) const;
};

// False for formats that no texture can read (three channels, channels of different widths, compressed
// blocks).
bool texel_format(const cudaChannelFormatDesc& description, machine::TexelFormat& format);

// Handles are checked: null for what is no array.
std::shared_ptr<Array> array_behind(cudaArray_const_t handle);

}  // namespace ridge::runtime
