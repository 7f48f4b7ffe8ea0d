// cuInit, devices and contexts. All contexts of a device share its memory, as with the primary one.
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "virtual_gpu/runtime/libcuda/driver.h"

struct CUctx_st {
  int device = 0;
  bool is_primary = false;
  unsigned flags = 0;
};

namespace ridge::driver {
namespace {

std::atomic<bool> initialised{false};
thread_local std::vector<CUcontext> current;

std::mutex contexts_mutex;
std::unordered_set<CUcontext> made;

int device_count() {
  int count = 0;
  cudaGetDeviceCount(&count);
  return count;
}

bool is_device(CUdevice device) {
  return device >= 0 && device < device_count();
}

// One per device, until the process ends.
CUcontext primary(CUdevice device) {
  static auto* all = new std::vector<std::unique_ptr<CUctx_st>>();
  const std::lock_guard lock(contexts_mutex);
  while (all->size() <= static_cast<size_t>(device)) {
    all->push_back(std::make_unique<CUctx_st>(CUctx_st{static_cast<int>(all->size()), true, 0}));
    made.insert(all->back().get());
  }
  return (*all)[static_cast<size_t>(device)].get();
}

bool is_context(CUcontext context) {
  const std::lock_guard lock(contexts_mutex);
  return made.contains(context);
}

template <class Body>
CUresult on_device(CUdevice device, Body body) {
  if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
  return is_device(device) ? result_of(body()) : CUDA_ERROR_INVALID_DEVICE;
}

// Calls of the runtime make the device's primary context current.
CUcontext current_or_primary() {
  if (!current.empty()) return current.back();
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? primary(device) : nullptr;
}

void become_current() {
  if (!current.empty() && current.back() != nullptr) cudaSetDevice(current.back()->device);
}

}  // namespace

CUresult usable() {
  if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (current.empty()) return CUDA_SUCCESS;
  if (current.back() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (!is_context(current.back())) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  become_current();
  return CUDA_SUCCESS;
}

}  // namespace ridge::driver

using namespace ridge::driver;

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  initialised = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  return result_of(cudaDriverGetVersion(version));
}

CUresult cuDeviceGetCount(int* count) {
  return initialised ? result_of(cudaGetDeviceCount(count)) : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return on_device(ordinal, [&] {
    if (!device) return cudaErrorInvalidValue;
    *device = ordinal;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  return on_device(device, [&] {
    cudaDeviceProp properties;
    if (!name || bytes <= 0) return cudaErrorInvalidValue;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) return error;
    std::strncpy(name, properties.name, static_cast<size_t>(bytes) - 1);
    name[bytes - 1] = '\0';
    return cudaSuccess;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return on_device(device, [&] {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess && uuid) *uuid = properties.uuid;
    return error;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return on_device(
      device, [&] { return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device); });
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return on_device(device, [&] {
    cudaDeviceProp properties;
    if (!bytes) return cudaErrorInvalidValue;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess) *bytes = properties.totalGlobalMem;
    return error;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  const CUresult error = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  return error != CUDA_SUCCESS
             ? error
             : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return on_device(device, [&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return on_device(device, [&] {
    if (!context) return cudaErrorInvalidValue;
    *context = primary(device);
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return on_device(device, [] { return cudaSuccess; });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return on_device(device, [&] {
    primary(device)->flags = flags;
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return on_device(device, [&] {
    if (flags) *flags = primary(device)->flags;
    if (active) *active = 1;
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return on_device(device, [&] {
    int before = 0;
    cudaGetDevice(&before);
    cudaSetDevice(device);
    const cudaError_t error = cudaDeviceReset();
    cudaSetDevice(before);
    return error;
  });
}

CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned flags, CUdevice device) {
  return on_device(device, [&] {
    if (!context) return cudaErrorInvalidValue;
    *context = new CUctx_st{device, false, flags};
    {
      const std::lock_guard lock(contexts_mutex);
      made.insert(*context);
    }
    current.push_back(*context);
    become_current();
    return cudaSuccess;
  });
}

CUresult cuCtxDestroy(CUcontext context) {
  if (!is_context(context) || context->is_primary) return CUDA_ERROR_INVALID_CONTEXT;
  if (!current.empty() && current.back() == context) {
    cudaDeviceSynchronize();
    current.pop_back();
  }
  const std::lock_guard lock(contexts_mutex);
  made.erase(context);  // the address is not reused, so that later uses are detected
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  if (!is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
  current.push_back(context);
  become_current();
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  if (current.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = current.back();
  current.pop_back();
  become_current();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (context != nullptr && !is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!current.empty()) current.pop_back();
  if (context != nullptr) current.push_back(context);
  become_current();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = current_or_primary();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return in_context([&] { return device ? cudaGetDevice(device) : cudaErrorInvalidValue; });
}

CUresult cuCtxGetFlags(unsigned* flags) {
  return in_context([&] {
    if (!flags) return cudaErrorInvalidValue;
    *flags = current_or_primary()->flags;
    return cudaSuccess;
  });
}

CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = 3020;  // the driver's answer for every current context
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  return in_context([] { return cudaDeviceSynchronize(); });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return in_context([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return in_context([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache) {
  return in_context([] { return cudaSuccess; });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return in_context([&] {
    return is_context(peer) ? cudaDeviceEnablePeerAccess(peer->device, flags) : cudaErrorInvalidValue;
  });
}

}  // extern "C"
