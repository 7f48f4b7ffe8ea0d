// Allocating, freeing and querying memory of every kind.
#include <fmt/format.h>

#include <utility>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;
using ridge::machine::HostSite;

namespace {

// The alignment of rows, as on an H100.
constexpr size_t kPitchBytes = 512;

size_t round_up(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

uint64_t address_of(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

cudaError_t allocate_to(void** pointer, size_t bytes, MemoryKind kind, const char* origin,
                        unsigned flags = 0) {
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (cudaError_t error = require_no_capture(); error != cudaSuccess) return error;
  uint64_t address = 0;
  cudaError_t error = allocate(current_device(), bytes, kind, origin, address, flags);
  if (error == cudaErrorMemoryAllocation) {
    const Device& device = current_device();
    say(fmt::format("{} of {} failed: {} of the device's {} are in use", origin, bytes_text(bytes),
                    bytes_text(device.bytes_in_use), bytes_text(device.description->memory_bytes)));
  }
  if (error == cudaSuccess) *pointer = reinterpret_cast<void*>(address);
  return error;
}

// Freeing waits for all work that may use the memory, on all devices, because kernels of peers may
// use it too.
cudaError_t wait_for_all() {
  if (cudaError_t error = require_no_capture(); error != cudaSuccess) return error;
  ++runtime_calls().synchronizations;
  for (const auto& device : process().devices)
    process().work.wait_for_device(device->ordinal);
  return device_fault();
}

// Reports why a pointer cannot be freed; common mistakes have their own messages.
cudaError_t refuse_to_free(const char* function, const void* pointer) {
  auto nearest = process().memory.nearest(address_of(pointer));
  bool inside = nearest && address_of(pointer) >= nearest->begin &&
                address_of(pointer) < nearest->begin + nearest->bytes;
  std::string why = "is not memory that it allocated";
  if (inside && nearest->freed)
    why = fmt::format("was freed before, by {} ({})", nearest->freed_text(), nearest->origin_text());
  if (inside && !nearest->freed) {
    why = (address_of(pointer) == nearest->begin
               ? "was allocated by another function; free it with the matching function"
               : "points into an allocation, not to its beginning") +
          fmt::format(" ({})", nearest->origin_text());
  }
  say(fmt::format("{}({}) refused: the pointer {}", function, fmt::ptr(pointer), why));
  return cudaErrorInvalidValue;
}

cudaError_t allocate_pitched(void** pointer, size_t* pitch, size_t width, size_t rows) {
  if (!pointer || !pitch) return cudaErrorInvalidValue;
  *pitch = round_up(width, kPitchBytes);
  return allocate_to(pointer, *pitch * rows, MemoryKind::device, "cudaMallocPitch");
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return call([&] { return allocate_to(pointer, bytes, MemoryKind::device, "cudaMalloc"); });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return call([&] {
    if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
      return cudaErrorInvalidValue;
    return allocate_to(pointer, bytes, MemoryKind::managed, "cudaMallocManaged", flags);
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return call([&] { return allocate_to(pointer, bytes, MemoryKind::pinned, "cudaMallocHost"); });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return call([&] {
    if (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
      return cudaErrorInvalidValue;
    return allocate_to(pointer, bytes, MemoryKind::pinned, "cudaHostAlloc", flags);
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return call([&] { return allocate_pitched(pointer, pitch, width, height); });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  return call([&] {
    if (!pitched) return cudaErrorInvalidValue;
    *pitched = {nullptr, 0, extent.width, extent.height};
    return allocate_pitched(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
  });
}

cudaError_t cudaFree(void* pointer) {
  return call([&] {
    if (!pointer) return cudaSuccess;
    if (cudaError_t error = wait_for_all(); error != cudaSuccess) return error;
    cudaError_t error =
        release(address_of(pointer), {MemoryKind::device, MemoryKind::managed}, "cudaFree", HostSite::here());
    return error == cudaSuccess ? error : refuse_to_free("cudaFree", pointer);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return call([&] {
    if (!pointer) return cudaSuccess;
    if (cudaError_t error = wait_for_all(); error != cudaSuccess) return error;
    cudaError_t error = release(address_of(pointer), {MemoryKind::pinned}, "cudaFreeHost", HostSite::here());
    return error == cudaSuccess ? error : refuse_to_free("cudaFreeHost", pointer);
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return call([&] {
    if (!pointer || bytes == 0) return cudaErrorInvalidValue;
    uint64_t begin = address_of(pointer);
    if (process().allocations.overlaps(begin, begin + bytes)) return cudaErrorHostMemoryAlreadyRegistered;
    process().memory.adopt(begin, bytes, "cudaHostRegister", HostSite::here());
    process().allocations.add(
        {begin, bytes, MemoryKind::registered, current_device().ordinal, flags, nullptr});
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call([&] {
    if (!pointer) return cudaErrorInvalidValue;
    if (cudaError_t error = wait_for_all(); error != cudaSuccess) return error;
    cudaError_t error =
        release(address_of(pointer), {MemoryKind::registered}, "cudaHostUnregister", HostSite::here());
    return error == cudaSuccess ? error : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
  return call([&] {
    if (!device_pointer || flags != 0) return cudaErrorInvalidValue;
    auto block = process().allocations.find(address_of(host_pointer));
    if (!block || (block->kind != MemoryKind::pinned && block->kind != MemoryKind::registered)) {
      return cudaErrorInvalidValue;
    }
    *device_pointer = host_pointer;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host_pointer) {
  return call([&] {
    auto block = process().allocations.find(address_of(host_pointer));
    if (!flags || !block || block->kind != MemoryKind::pinned) return cudaErrorInvalidValue;
    *flags = block->flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return call([&] {
    if (!free_bytes || !total_bytes) return cudaErrorInvalidValue;
    const Device& device = current_device();
    *total_bytes = device.description->memory_bytes;
    *free_bytes = *total_bytes - device.bytes_in_use;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call([&] {
    if (!attributes) return cudaErrorInvalidValue;
    *attributes = {};
    void* address = const_cast<void*>(pointer);
    auto block = process().allocations.find(address_of(pointer));
    if (!block) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = cudaInvalidDeviceId;
      attributes->hostPointer = address;
      return cudaSuccess;
    }
    attributes->device = block->device;
    attributes->devicePointer = address;
    attributes->hostPointer = block->host_accessible() ? address : nullptr;
    attributes->type = block->kind == MemoryKind::managed ? cudaMemoryTypeManaged
                       : block->host_accessible()         ? cudaMemoryTypeHost
                                                          : cudaMemoryTypeDevice;
    return cudaSuccess;
  });
}
