// cudaMemcpy and cudaMemset in all their forms.
#include <algorithm>

#include "virtual_gpu/runtime/devices/array.h"
#include "virtual_gpu/runtime/work/copy.h"
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

PitchedPointer at(const cudaPitchedPtr& memory, const cudaPos& position) {
  auto* data = static_cast<std::byte*>(memory.ptr);
  size_t slice = memory.pitch * memory.ysize;
  return {data + position.z * slice + position.y * memory.pitch + position.x, memory.pitch, slice};
}

// One end of a copy: its address, and the unit of x and of the width there (a byte, or an element
// of the array).
struct End {
  PitchedPointer memory;
  std::shared_ptr<Array> array;
  cudaPos position{};
  size_t unit = 1;
};

cudaError_t end_of(cudaArray_t handle, const cudaPitchedPtr& pointer, const cudaPos& position, End& end) {
  end.position = position;
  if (!handle == !pointer.ptr) return cudaErrorInvalidValue;  // exactly one of the two is set
  if (!handle) {
    end.memory = at(pointer, position);
    return cudaSuccess;
  }
  end.array = array_behind(handle);
  if (!end.array) return cudaErrorInvalidResourceHandle;
  end.unit = end.array->texel_bytes();
  end.memory = end.array->at(position.x * end.unit, position.y, position.z);
  return cudaSuccess;
}

bool is_inside(const End& end, const Box& box) {
  return !end.array || end.array->holds(end.position.x * end.unit, end.position.y, end.position.z, box);
}

cudaError_t copy_3d(const cudaMemcpy3DParms* parameters, cudaStream_t stream, bool asynchronous) {
  return call([&] {
    if (!parameters) return cudaErrorInvalidValue;
    End to, from;
    cudaError_t error = end_of(parameters->dstArray, parameters->dstPtr, parameters->dstPos, to);
    if (error == cudaSuccess)
      error = end_of(parameters->srcArray, parameters->srcPtr, parameters->srcPos, from);
    if (error != cudaSuccess) return error;
    if (to.array && from.array && to.unit != from.unit) return cudaErrorInvalidValue;
    // If the copy involves an array, the width counts its elements.
    Box box{parameters->extent.width * std::max(to.unit, from.unit), parameters->extent.height,
            parameters->extent.depth};
    if (!is_inside(to, box) || !is_inside(from, box)) return cudaErrorInvalidValue;
    return copy_box(to.memory, from.memory, box, parameters->kind, stream, asynchronous);
  });
}

cudaError_t copy_2d(void* destination, size_t destination_pitch, const void* source, size_t source_pitch,
                    size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                    bool asynchronous) {
  return call([&] {
    if (width > destination_pitch || width > source_pitch) return cudaErrorInvalidPitchValue;
    return copy_box(rows(destination, destination_pitch), rows(source, source_pitch), {width, height, 1},
                    kind, stream, asynchronous);
  });
}

bool is_device(int ordinal) {
  return ordinal >= 0 && ordinal < static_cast<int>(process().devices.size());
}

cudaError_t copy_peer(void* destination, int destination_device, const void* source, int source_device,
                      size_t bytes, cudaStream_t stream, bool asynchronous) {
  return call([&] {
    if (!is_device(destination_device) || !is_device(source_device)) return cudaErrorInvalidDevice;
    return copy_linear(destination, source, bytes, cudaMemcpyDeviceToDevice, stream, asynchronous);
  });
}

cudaError_t fill(PitchedPointer memory, Box box, int value, cudaStream_t stream, bool asynchronous) {
  return call([&] { return fill_box(memory, box, value, stream, asynchronous); });
}

PitchedPointer volume(const cudaPitchedPtr& memory) {
  return at(memory, cudaPos{0, 0, 0});
}

}  // namespace

cudaError_t cudaMemcpy(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind) {
  return call([&] { return copy_linear(destination, source, bytes, kind, nullptr, false); });
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call([&] { return copy_linear(destination, source, bytes, kind, stream, true); });
}

cudaError_t cudaMemcpy2D(void* destination, size_t destination_pitch, const void* source, size_t source_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_2d(destination, destination_pitch, source, source_pitch, width, height, kind, nullptr, false);
}

cudaError_t cudaMemcpy2DAsync(void* destination, size_t destination_pitch, const void* source,
                              size_t source_pitch, size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return copy_2d(destination, destination_pitch, source, source_pitch, width, height, kind, stream, true);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return copy_3d(parameters, nullptr, false);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return copy_3d(parameters, stream, true);
}

cudaError_t cudaMemcpyPeer(void* destination, int destination_device, const void* source, int source_device,
                           size_t bytes) {
  return copy_peer(destination, destination_device, source, source_device, bytes, nullptr, false);
}

cudaError_t cudaMemcpyPeerAsync(void* destination, int destination_device, const void* source,
                                int source_device, size_t bytes, cudaStream_t stream) {
  return copy_peer(destination, destination_device, source, source_device, bytes, stream, true);
}

cudaError_t cudaMemset(void* destination, int value, size_t bytes) {
  return fill(rows(destination, bytes), {bytes, 1, 1}, value, nullptr, false);
}

cudaError_t cudaMemsetAsync(void* destination, int value, size_t bytes, cudaStream_t stream) {
  return fill(rows(destination, bytes), {bytes, 1, 1}, value, stream, true);
}

cudaError_t cudaMemset2D(void* destination, size_t pitch, int value, size_t width, size_t height) {
  return fill(rows(destination, pitch), {width, height, 1}, value, nullptr, false);
}

cudaError_t cudaMemset2DAsync(void* destination, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return fill(rows(destination, pitch), {width, height, 1}, value, stream, true);
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  return fill(volume(memory), {extent.width, extent.height, extent.depth}, value, nullptr, false);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream) {
  return fill(volume(memory), {extent.width, extent.height, extent.depth}, value, stream, true);
}

// Batched copies are not ordered among themselves; the attributes are hints.
cudaError_t cudaMemcpyBatchAsync(void* const* destinations, const void* const* sources, const size_t* bytes,
                                 size_t count, cudaMemcpyAttributes* attributes, size_t*,
                                 size_t attribute_count, cudaStream_t stream) {
  return call([&] {
    if (!destinations || !sources || !bytes || count == 0 || !attributes || attribute_count == 0)
      return cudaErrorInvalidValue;
    if (stream == nullptr || stream == cudaStreamLegacy)
      return cudaErrorInvalidValue;  // as NVIDIA's documentation requires
    for (size_t i = 0; i < count; ++i) {
      cudaError_t error = copy_linear(destinations[i], sources[i], bytes[i], cudaMemcpyDefault, stream, true);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

namespace {

cudaError_t copy_3d_peer(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream, bool asynchronous) {
  if (!parameters) return record(cudaErrorInvalidValue);
  if (!is_device(parameters->srcDevice) || !is_device(parameters->dstDevice))
    return record(cudaErrorInvalidDevice);
  const cudaMemcpy3DParms plain{parameters->srcArray, parameters->srcPos, parameters->srcPtr,
                                parameters->dstArray, parameters->dstPos, parameters->dstPtr,
                                parameters->extent,   cudaMemcpyDefault};
  return copy_3d(&plain, stream, asynchronous);
}

}  // namespace

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
  return copy_3d_peer(parameters, nullptr, false);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream) {
  return copy_3d_peer(parameters, stream, true);
}
