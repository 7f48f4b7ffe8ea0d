// CUDA arrays: creating, querying and copying them.
#include <algorithm>

#include "virtual_gpu/machine/texture/cube_map.h"
#include "virtual_gpu/runtime/devices/array.h"
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

constexpr uint64_t kRowAlignment = 32;

// Six square faces, or a number of such cubes (CUDA Runtime API, cudaMalloc3DArray).
bool is_cube(cudaExtent extent, unsigned flags) {
  constexpr size_t kFaces = ridge::machine::kCubeFaces;
  const bool is_right_depth =
      flags & cudaArrayLayered ? extent.depth != 0 && extent.depth % kFaces == 0 : extent.depth == kFaces;
  return extent.width == extent.height && is_right_depth;
}

cudaError_t make_array(cudaArray_t* handle, const cudaChannelFormatDesc* description, cudaExtent extent,
                       unsigned flags) {
  return call([&] {
    constexpr unsigned known =
        cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayCubemap;
    if (!handle || !description || extent.width == 0 || (flags & ~known)) return cudaErrorInvalidValue;
    if ((flags & cudaArrayCubemap) && !is_cube(extent, flags)) return cudaErrorInvalidValue;
    auto array = std::make_shared<Array>();
    array->description = *description;
    array->extent = extent;
    array->flags = flags;
    array->device = current_device().ordinal;
    ridge::machine::TexelMemory& memory = array->memory;
    if (!texel_format(*description, memory.format)) return cudaErrorInvalidChannelDescriptor;
    memory.width = extent.width;
    memory.height = std::max<size_t>(extent.height, 1);
    memory.depth = std::max<size_t>(extent.depth, 1);
    memory.is_layered = flags & (cudaArrayLayered | cudaArrayCubemap);
    memory.pitch_bytes =
        (memory.width * array->texel_bytes() + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
    memory.slice_bytes = memory.pitch_bytes * memory.height;
    cudaError_t error = allocate(current_device(), memory.slice_bytes * memory.depth, MemoryKind::array,
                                 "cudaMallocArray", memory.address);
    if (error != cudaSuccess) return error;
    *handle = reinterpret_cast<cudaArray_t>(process().arrays.add(std::move(array)));
    return cudaSuccess;
  });
}

// One end of a copy: an array or pitched memory.
struct Place {
  std::shared_ptr<Array> array;
  PitchedPointer memory;
};

cudaError_t place_in_array(cudaArray_const_t handle, size_t x_bytes, size_t y, size_t z, const Box& box,
                           Place& place) {
  place.array = array_behind(handle);
  if (!place.array) return cudaErrorInvalidResourceHandle;
  if (!place.array->holds(x_bytes, y, z, box)) return cudaErrorInvalidValue;
  place.memory = place.array->at(x_bytes, y, z);
  return cudaSuccess;
}

cudaError_t copy_2d_to(cudaArray_t array, size_t x, size_t y, const void* source, size_t pitch, size_t width,
                       size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
  return call([&] {
    Place to;
    const Box box{width, height, 1};
    if (cudaError_t error = place_in_array(array, x, y, 0, box, to); error != cudaSuccess) return error;
    return copy_box(to.memory, rows(source, pitch), box, kind, stream, asynchronous);
  });
}

cudaError_t copy_2d_from(void* destination, size_t pitch, cudaArray_const_t array, size_t x, size_t y,
                         size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                         bool asynchronous) {
  return call([&] {
    Place from;
    const Box box{width, height, 1};
    if (cudaError_t error = place_in_array(array, x, y, 0, box, from); error != cudaSuccess) return error;
    return copy_box(rows(destination, pitch), from.memory, box, kind, stream, asynchronous);
  });
}

// The old one-dimensional functions: copy `bytes` bytes of consecutive rows, beginning at x and y.
cudaError_t copy_line(cudaArray_const_t handle, size_t x, size_t y, void* linear, size_t bytes,
                      cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous, bool to_array) {
  return call([&] {
    const std::shared_ptr<Array> array = array_behind(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    const size_t row_bytes = array->memory.width * array->texel_bytes();
    const size_t rows_left = array->memory.height - std::min<size_t>(y, array->memory.height);
    if (x >= row_bytes || rows_left == 0 || bytes > rows_left * row_bytes - x) return cudaErrorInvalidValue;
    auto* host = static_cast<std::byte*>(linear);
    // The rest of the first row, complete rows, and the beginning of the last one.
    while (bytes > 0) {
      const bool whole = x == 0 && bytes >= row_bytes;
      const Box box{whole ? row_bytes : std::min(bytes, row_bytes - x), whole ? bytes / row_bytes : 1, 1};
      const PitchedPointer in_array = array->at(x, y, 0), outside = rows(host, box.width_bytes);
      const cudaError_t error = to_array
                                    ? copy_box(in_array, outside, box, kind, stream, asynchronous)
                                    : copy_box(outside, in_array, box, kind, stream, asynchronous);
      if (error != cudaSuccess) return error;
      host += box.width_bytes * box.height;
      bytes -= box.width_bytes * box.height;
      y += box.height;
      x = 0;
    }
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* description, size_t width,
                            size_t height, unsigned flags) {
  return make_array(array, description, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* description, cudaExtent extent,
                              unsigned flags) {
  return make_array(array, description, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t handle) {
  return call([&] {
    if (!handle) return cudaSuccess;
    std::shared_ptr<Array> array = array_behind(handle);
    if (!array) return cudaErrorInvalidValue;
    finish_work_of_all();
    process().arrays.remove(handle);
    return release(array->memory.address, {MemoryKind::array}, "cudaFreeArray",
                   ridge::machine::HostSite::here());
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* description, cudaExtent* extent, unsigned* flags,
                             cudaArray_t handle) {
  return call([&] {
    std::shared_ptr<Array> array = array_behind(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (description) *description = array->description;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* description, cudaArray_const_t handle) {
  return call([&] {
    std::shared_ptr<Array> array = array_behind(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (!description) return cudaErrorInvalidValue;
    *description = array->description;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t array, size_t x, size_t y, const void* source, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_2d_to(array, x, y, source, pitch, width, height, kind, nullptr, false);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t x, size_t y, const void* source, size_t pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_2d_to(array, x, y, source, pitch, width, height, kind, stream, true);
}

cudaError_t cudaMemcpy2DFromArray(void* destination, size_t pitch, cudaArray_const_t array, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_2d_from(destination, pitch, array, x, y, width, height, kind, nullptr, false);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* destination, size_t pitch, cudaArray_const_t array, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return copy_2d_from(destination, pitch, array, x, y, width, height, kind, stream, true);
}

cudaError_t cudaMemcpyToArray(cudaArray_t array, size_t x, size_t y, const void* source, size_t bytes,
                              cudaMemcpyKind kind) {
  return copy_line(array, x, y, const_cast<void*>(source), bytes, kind, nullptr, false, true);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t array, size_t x, size_t y, const void* source, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_line(array, x, y, const_cast<void*>(source), bytes, kind, stream, true, true);
}

cudaError_t cudaMemcpyFromArray(void* destination, cudaArray_const_t array, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return copy_line(array, x, y, destination, bytes, kind, nullptr, false, false);
}

cudaError_t cudaMemcpyFromArrayAsync(void* destination, cudaArray_const_t array, size_t x, size_t y,
                                     size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_line(array, x, y, destination, bytes, kind, stream, true, false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t destination, size_t to_x, size_t to_y,
                                     cudaArray_const_t source, size_t from_x, size_t from_y, size_t width,
                                     size_t height, cudaMemcpyKind kind) {
  return call([&] {
    Place to, from;
    const Box box{width, height, 1};
    cudaError_t error = place_in_array(destination, to_x, to_y, 0, box, to);
    if (error == cudaSuccess) error = place_in_array(source, from_x, from_y, 0, box, from);
    if (error != cudaSuccess) return error;
    return copy_box(to.memory, from.memory, box, kind, nullptr, false);
  });
}
