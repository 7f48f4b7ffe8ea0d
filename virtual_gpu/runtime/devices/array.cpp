#include "virtual_gpu/runtime/devices/array.h"

#include "virtual_gpu/runtime/process/process.h"

namespace ridge::runtime {

PitchedPointer Array::at(size_t x_bytes, size_t y, size_t z) const {
  const uint64_t address = memory.address + z * memory.slice_bytes + y * memory.pitch_bytes + x_bytes;
  return {reinterpret_cast<std::byte*>(address), memory.pitch_bytes, memory.slice_bytes};
}

bool Array::holds(size_t x_bytes, size_t y, size_t z, const Box& box) const {
  const size_t row_bytes = memory.width * texel_bytes();
  return x_bytes <= row_bytes && box.width_bytes <= row_bytes - x_bytes && y <= memory.height &&
         box.height <= memory.height - y && z <= memory.depth && box.depth <= memory.depth - z;
}

bool texel_format(const cudaChannelFormatDesc& description, machine::TexelFormat& format) {
  const int bits[] = {description.x, description.y, description.z, description.w};
  int channels = 0;
  while (channels < 4 && bits[channels] == bits[0] && bits[0] != 0)
    ++channels;
  for (int i = channels; i < 4; ++i) {
    if (bits[i] != 0) return false;
  }
  if (channels == 0 || channels == 3 || (bits[0] != 8 && bits[0] != 16 && bits[0] != 32)) return false;
  switch (description.f) {
    case cudaChannelFormatKindSigned:
      format.kind = machine::ChannelKind::signed_integer;
      break;
    case cudaChannelFormatKindUnsigned:
      format.kind = machine::ChannelKind::unsigned_integer;
      break;
    case cudaChannelFormatKindFloat:
      if (bits[0] == 8) return false;
      format.kind = machine::ChannelKind::floating;
      break;
    default:
      return false;
  }
  format.channels = static_cast<uint8_t>(channels);
  format.bits = static_cast<uint8_t>(bits[0]);
  return true;
}

std::shared_ptr<Array> array_behind(cudaArray_const_t handle) {
  return process().arrays.find(handle);
}

}  // namespace ridge::runtime
