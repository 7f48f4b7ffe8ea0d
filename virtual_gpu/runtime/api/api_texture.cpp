// Texture and surface objects.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "virtual_gpu/runtime/devices/array.h"
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

using ridge::machine::AddressMode;
using ridge::machine::ChannelKind;
using ridge::machine::TexelMemory;
using ridge::machine::Texture;

struct Descriptions {
  cudaResourceDesc resource;
  cudaTextureDesc texture;
};

// The descriptions from which objects were created, for queries.
struct Objects {
  std::mutex mutex;
  std::map<uint64_t, Descriptions> made;
  std::vector<uint64_t> retired;  // destroyed while running work may still read them
};
Objects& objects() {
  static auto* all = new Objects();
  return *all;
}

cudaError_t refuse(const std::string& what) {
  say(what + ": run this on a GPU");
  return cudaErrorNotSupported;
}

cudaError_t linear_memory(const cudaResourceDesc& resource, TexelMemory& memory, bool& is_linear) {
  const bool is_pitched = resource.resType == cudaResourceTypePitch2D;
  const void* pointer = is_pitched ? resource.res.pitch2D.devPtr : resource.res.linear.devPtr;
  const auto& description = is_pitched ? resource.res.pitch2D.desc : resource.res.linear.desc;
  if (!texel_format(description, memory.format)) return cudaErrorInvalidChannelDescriptor;
  memory.address = reinterpret_cast<uint64_t>(pointer);
  const uint64_t texel = memory.format.texel_bytes();
  uint64_t bytes = 0;
  if (is_pitched) {
    const auto& plane = resource.res.pitch2D;
    if (plane.width == 0 || plane.height == 0 || plane.pitchInBytes % 32 != 0 ||
        plane.pitchInBytes < plane.width * texel)
      return cudaErrorInvalidValue;
    memory.width = plane.width;
    memory.height = plane.height;
    memory.pitch_bytes = plane.pitchInBytes;
    bytes = (memory.height - 1) * memory.pitch_bytes + memory.width * texel;
  } else {
    memory.width = resource.res.linear.sizeInBytes / texel;
    bytes = memory.width * texel;
    is_linear = true;
  }
  memory.slice_bytes = bytes;
  auto block = process().allocations.find(memory.address);
  if (memory.width == 0 || !block || memory.address % texel != 0 || bytes > block->end() - memory.address) {
    say(fmt::format("a texture of {} bytes at {} is not within one allocation of device memory", bytes,
                    pointer));
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t memory_of(const cudaResourceDesc& resource, TexelMemory& memory, bool& is_linear) {
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      std::shared_ptr<Array> array = array_behind(resource.res.array.array);
      if (!array) return cudaErrorInvalidResourceHandle;
      memory = array->memory;
      return cudaSuccess;
    }
    case cudaResourceTypeMipmappedArray:
      return refuse("mipmapped textures are not implemented");
    case cudaResourceTypeLinear:
    case cudaResourceTypePitch2D:
      return linear_memory(resource, memory, is_linear);
  }
  return cudaErrorInvalidValue;
}

cudaError_t describe(const cudaTextureDesc& description, Texture& texture) {
  if (description.sRGB) return refuse("sRGB textures are not implemented");
  if (description.seamlessCubemap) return refuse("seamless filtering of cube maps is not implemented");
  const ridge::machine::TexelFormat& format = texture.memory.format;
  const bool is_float = format.kind == ChannelKind::floating;
  texture.normalized_values = description.readMode == cudaReadModeNormalizedFloat && !is_float;
  if (texture.normalized_values && format.bits == 32) return cudaErrorInvalidNormSetting;
  texture.filters_linearly = description.filterMode == cudaFilterModeLinear;
  if (texture.filters_linearly && !is_float && !texture.normalized_values)
    return cudaErrorInvalidFilterSetting;
  texture.normalized_coordinates = description.normalizedCoords != 0;
  for (size_t i = 0; i < 3; ++i) {
    constexpr AddressMode modes[] = {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror,
                                     AddressMode::border};
    if (description.addressMode[i] > cudaAddressModeBorder) return cudaErrorInvalidValue;
    texture.address_modes[i] = modes[description.addressMode[i]];
  }
  std::copy_n(description.borderColor, 4, texture.border.begin());
  return cudaSuccess;
}

cudaError_t add(const Texture& texture, const Descriptions& descriptions, unsigned long long* handle) {
  const uint64_t made = process().textures.add(texture);
  if (made == 0) return cudaErrorMemoryAllocation;
  std::lock_guard lock(objects().mutex);
  objects().made[made] = descriptions;
  *handle = made;
  return cudaSuccess;
}

bool any_work_is_under_way() {
  for (const auto& device : process().devices) {
    if (!process().work.is_device_idle(device->ordinal)) return true;
  }
  return false;
}

// A kernel that was launched earlier may still read the object: it is removed when no work is left.
cudaError_t destroy(unsigned long long handle) {
  constexpr size_t kMostRetired = 4096;
  return call([&] {
    if (handle == 0) return cudaSuccess;
    if (any_work_is_under_way() && objects().retired.size() >= kMostRetired) finish_work_of_all();
    std::lock_guard lock(objects().mutex);
    if (objects().made.erase(handle) == 0) return cudaErrorInvalidValue;
    objects().retired.push_back(handle);
    if (any_work_is_under_way()) return cudaSuccess;
    for (const uint64_t old : objects().retired)
      process().textures.remove(old);
    objects().retired.clear();
    return cudaSuccess;
  });
}

template <typename Use>
cudaError_t with_descriptions(unsigned long long handle, Use use) {
  return call([&] {
    std::lock_guard lock(objects().mutex);
    auto found = objects().made.find(handle);
    if (found == objects().made.end()) return cudaErrorInvalidValue;
    use(found->second);
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* handle, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description, const cudaResourceViewDesc* view) {
  return call([&] {
    if (!handle || !resource || !description) return cudaErrorInvalidValue;
    if (view) return refuse("views of a texture in another format are not implemented");
    Texture texture;
    cudaError_t error = memory_of(*resource, texture.memory, texture.is_linear_memory);
    if (error == cudaSuccess) error = describe(*description, texture);
    return error == cudaSuccess ? add(texture, {*resource, *description}, handle) : error;
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
  return destroy(handle);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t handle) {
  if (!resource) return record(cudaErrorInvalidValue);
  return with_descriptions(handle, [&](const Descriptions& made) { *resource = made.resource; });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description, cudaTextureObject_t handle) {
  if (!description) return record(cudaErrorInvalidValue);
  return with_descriptions(handle, [&](const Descriptions& made) { *description = made.texture; });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* handle, const cudaResourceDesc* resource) {
  return call([&] {
    if (!handle || !resource || resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
    std::shared_ptr<Array> array = array_behind(resource->res.array.array);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (!(array->flags & cudaArraySurfaceLoadStore)) {
      say("a surface needs an array made with cudaArraySurfaceLoadStore");
      return cudaErrorInvalidValue;
    }
    Texture surface;
    surface.memory = array->memory;
    return add(surface, {*resource, {}}, handle);
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
  return destroy(handle);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t handle) {
  if (!resource) return record(cudaErrorInvalidValue);
  return with_descriptions(handle, [&](const Descriptions& made) { *resource = made.resource; });
}
