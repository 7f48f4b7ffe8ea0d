// Stream-ordered allocation: the address is assigned immediately; the memory is freed when the
// stream reaches the free.
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

cudaMemPool_t handle_of(const std::shared_ptr<MemoryPool>& pool) {
  return reinterpret_cast<cudaMemPool_t>(pool.get());
}

cudaError_t allocate_from(MemoryPool& pool, void** pointer, size_t bytes, cudaStream_t stream) {
  if (!pointer) return cudaErrorInvalidValue;
  std::shared_ptr<Stream> target = find_stream(stream);
  if (!target) return cudaErrorInvalidResourceHandle;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  uint64_t address = 0;
  Device& device = *process().devices[static_cast<size_t>(pool.device)];
  cudaError_t error = allocate(device, bytes, MemoryKind::device, "cudaMallocAsync", address, 0, &pool);
  if (error == cudaErrorMemoryAllocation) {  // pending frees may make room
    process().work.wait_for_device(device.ordinal);
    error = allocate(device, bytes, MemoryKind::device, "cudaMallocAsync", address, 0, &pool);
  }
  if (error != cudaSuccess) return error;
  *pointer = reinterpret_cast<void*>(address);
  if (!target->capture) return cudaSuccess;
  // Memory of a graph has its address from the capture on and keeps it.
  GraphNode node;
  node.type = cudaGraphNodeTypeMemAlloc;
  return submit(stream, std::move(node));
}

template <typename Use>
cudaError_t with_pool(cudaMemPool_t handle, Use use) {
  return call([&] {
    std::shared_ptr<MemoryPool> pool = process().pools.find(handle);
    return pool ? use(*pool) : cudaErrorInvalidValue;
  });
}

}  // namespace

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return call([&] { return allocate_from(*current_device().pool, pointer, bytes, stream); });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return with_pool(pool, [&](MemoryPool& own) { return allocate_from(own, pointer, bytes, stream); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return call([&] {
    std::shared_ptr<Stream> target = find_stream(stream);
    if (!target) return cudaErrorInvalidResourceHandle;
    if (!pointer) return cudaErrorInvalidValue;
    auto address = reinterpret_cast<uint64_t>(pointer);
    auto block = process().allocations.find(address);
    if (!block || block->begin != address ||
        (block->kind != MemoryKind::device && block->kind != MemoryKind::managed)) {
      return cudaErrorInvalidValue;
    }
    GraphNode node;
    node.type = cudaGraphNodeTypeMemFree;
    node.task_executor = TaskExecutor::submitter;
    if (!target->capture)
      node.work = [address, here = ridge::machine::HostSite::here()] {
        return release(address, {MemoryKind::device, MemoryKind::managed}, "cudaFreeAsync", here);
      };
    return submit(stream, std::move(node));
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return call([&] {
    if (!pool) return cudaErrorInvalidValue;
    Device* own = device_at(device);
    if (!own) return cudaErrorInvalidDevice;
    *pool = handle_of(own->default_pool);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return call([&] {
    if (!pool) return cudaErrorInvalidValue;
    Device* own = device_at(device);
    if (!own) return cudaErrorInvalidDevice;
    *pool = handle_of(own->pool);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return call([&] {
    Device* own = device_at(device);
    std::shared_ptr<MemoryPool> found = process().pools.find(pool);
    if (!own) return cudaErrorInvalidDevice;
    if (!found || found->device != device) return cudaErrorInvalidValue;
    own->pool = found;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return call([&] {
    if (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned)
      return cudaErrorInvalidValue;
    if (properties->location.type != cudaMemLocationTypeDevice || !device_at(properties->location.id)) {
      return cudaErrorInvalidValue;
    }
    auto made = std::make_shared<MemoryPool>();
    made->device = properties->location.id;
    *pool = reinterpret_cast<cudaMemPool_t>(process().pools.add(std::move(made)));
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return with_pool(pool, [&](MemoryPool& own) {
    Device& device = *process().devices[static_cast<size_t>(own.device)];
    if (device.default_pool.get() == &own) return cudaErrorInvalidValue;
    if (device.pool.get() == &own) device.pool = device.default_pool;
    process().pools.remove(pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return with_pool(pool, [](MemoryPool&) { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&](MemoryPool& own) {
    if (!value) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        own.attributes[attribute] = static_cast<uint64_t>(*static_cast<int*>(value));
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        own.attributes[attribute] = *static_cast<uint64_t*>(value);
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        if (*static_cast<uint64_t*>(value) != 0) return cudaErrorInvalidValue;
        own.most_bytes_in_use = own.bytes_in_use.load();
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&](MemoryPool& own) {
    if (!value) return cudaErrorInvalidValue;
    auto kept = own.attributes.find(attribute);
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = kept == own.attributes.end() ? 1 : static_cast<int>(kept->second);
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        *static_cast<uint64_t*>(value) = kept == own.attributes.end() ? 0 : kept->second;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemCurrent:
      case cudaMemPoolAttrUsedMemCurrent:
        *static_cast<uint64_t*>(value) = own.bytes_in_use;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        *static_cast<uint64_t*>(value) = own.most_bytes_in_use;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

// Access is stored per device, not per pool: a device that may access one pool of another may
// access its other memory too.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* descriptions, size_t count) {
  return with_pool(pool, [&](MemoryPool& own) {
    if (!descriptions || count == 0) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      const cudaMemAccessDesc& asked = descriptions[i];
      Device* device = device_at(asked.location.id);
      if (asked.location.type != cudaMemLocationTypeDevice || !device) return cudaErrorInvalidValue;
      const uint64_t owner = uint64_t{1} << own.device;
      // The device that owns the memory always has access.
      if (device->ordinal == own.device) {
        if (asked.flags != cudaMemAccessFlagsProtReadWrite) return cudaErrorInvalidValue;
        continue;
      }
      own.access[device->ordinal] = asked.flags;
      if (asked.flags == cudaMemAccessFlagsProtNone)
        device->pool_peers &= ~owner;
      else
        device->pool_peers |= owner;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return with_pool(pool, [&](MemoryPool& own) {
    if (!flags || !location || !device_at(location->id)) return cudaErrorInvalidValue;
    const auto set = own.access.find(location->id);
    *flags = location->id == own.device   ? cudaMemAccessFlagsProtReadWrite
             : set != own.access.end() ? set->second
                                          : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}
