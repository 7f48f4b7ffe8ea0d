// Devices: enumeration, properties, selection, and limits.
#include <fmt/format.h>

#include <cstring>

#include "virtual_gpu/runtime/devices/device_properties.h"
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

template <typename Use>
cudaError_t with_device(int ordinal, Use use) {
  return call([&] {
    Device* device = device_at(ordinal);
    return device ? use(*device) : cudaErrorInvalidDevice;
  });
}

bool is_limit(cudaLimit limit) {
  return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return call([&] {
    if (!count) return cudaErrorInvalidValue;
    *count = static_cast<int>(process().devices.size());
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call([&] {
    if (!device) return cudaErrorInvalidValue;
    *device = current_device().ordinal;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  // The program may select another device after a fault.
  return record(set_current_device(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return with_device(device, [](Device& own) {
    own.was_used = true;
    return cudaSuccess;
  });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return call([&] {
    if (!devices && count != 0) return cudaErrorInvalidValue;
    for (int i = 0; i < count; ++i) {
      if (!device_at(devices[i])) return cudaErrorInvalidDevice;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return with_device(device, [&](Device& own) {
    if (!properties) return cudaErrorInvalidValue;
    *properties = device_properties(*own.description, own.ordinal);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return with_device(device, [&](Device& own) {
    auto found = device_attribute(*own.description, own.ordinal, attribute);
    if (!value || !found) return cudaErrorInvalidValue;
    *value = *found;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
  return call([&] {
    if (!device || !properties) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call([] {
    cudaError_t error = require_not_capturing(cudaStreamLegacy);
    if (error != cudaSuccess)
      return error == cudaErrorStreamCaptureImplicit ? cudaErrorStreamCaptureUnsupported : error;
    ++runtime_calls().synchronizations;
    process().work.wait_for_device(current_device().ordinal);
    return synchronized(current_device().ordinal);
  });
}

cudaError_t cudaDeviceReset() {
  // This also clears a fault.
  reset(current_device());
  take_last_error();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return call([&] {
    if (!is_limit(limit)) return cudaErrorInvalidValue;
    current_device().limits[limit] = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return call([&] {
    if (!value) return cudaErrorInvalidValue;
    if (!is_limit(limit)) return cudaErrorUnsupportedLimit;
    *value = limit_of(current_device(), limit);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return call([&] {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    current_device().cache_config = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return call([&] {
    if (!config) return cudaErrorInvalidValue;
    *config = current_device().cache_config;
    return cudaSuccess;
  });
}

// Banks are 4 bytes wide on every device since Maxwell.
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return call([&] {
    if (!config) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return call([] { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) {
  return call([] { return cudaSuccess; });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return call([&] {
    if (flags & ~static_cast<unsigned>(cudaDeviceMask)) return cudaErrorInvalidValue;
    current_device().flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return call([&] {
    if (!flags) return cudaErrorInvalidValue;
    *flags = current_device().flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return with_device(device, [&](Device& own) {
    std::string id = fmt::format("0000:{:02X}:00.0", 1 + own.ordinal);
    if (!text || length <= static_cast<int>(id.size())) return cudaErrorInvalidValue;
    std::memcpy(text, id.c_str(), id.size() + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return call([&] {
    if (!device || !text) return cudaErrorInvalidValue;
    for (const auto& own : process().devices) {
      if (fmt::format("0000:{:02X}:00.0", 1 + own->ordinal) != text) continue;
      *device = own->ordinal;
      return cudaSuccess;
    }
    return cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return with_device(device, [&](Device&) {
    if (!can_access) return cudaErrorInvalidValue;
    if (!device_at(peer)) return cudaErrorInvalidDevice;
    *can_access = device != peer;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return with_device(peer, [&](Device&) {
    if (flags != 0) return cudaErrorInvalidValue;
    if (peer == current_device().ordinal) return cudaErrorInvalidDevice;
    return (current_device().peers.fetch_or(uint64_t{1} << peer) >> peer & 1) == 0
               ? cudaSuccess
               : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return with_device(peer, [&](Device&) {
    return (current_device().peers.fetch_and(~(uint64_t{1} << peer)) >> peer & 1) != 0
               ? cudaSuccess
               : cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
  return with_device(device, [&](Device&) {
    if (!value || device == peer) return cudaErrorInvalidValue;
    if (!device_at(peer)) return cudaErrorInvalidDevice;
    *value = attribute == cudaDevP2PAttrAccessSupported || attribute == cudaDevP2PAttrNativeAtomicSupported;
    return cudaSuccess;
  });
}
