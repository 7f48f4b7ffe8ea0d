#include "virtual_gpu/runtime/driver/driver_functions.h"

#include <cstring>
#include <string_view>

#include "virtual_gpu/runtime/devices/device_properties.h"
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"

namespace ridge::runtime {
namespace {

Device* device_of(CUdevice ordinal) {
  auto& devices = process().devices;
  return ordinal >= 0 && static_cast<size_t>(ordinal) < devices.size()
             ? devices[static_cast<size_t>(ordinal)].get()
             : nullptr;
}

CUresult init(unsigned flags) {
  return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult driver_version(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDART_VERSION;
  return CUDA_SUCCESS;
}

CUresult get_error_name(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = driver_error_name(error);
  return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult get_error_string(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool known = driver_error_name(error) != nullptr;
  *text = known ? error_description(static_cast<cudaError_t>(error)) : nullptr;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult device_count(int* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = static_cast<int>(process().devices.size());
  return CUDA_SUCCESS;
}

CUresult device_get(CUdevice* device, int ordinal) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device_of(ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult device_name(char* name, int bytes, CUdevice ordinal) {
  const Device* device = device_of(ordinal);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (name == nullptr || bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
  const cudaDeviceProp properties = device_properties(*device->description, ordinal);
  std::strncpy(name, properties.name, static_cast<size_t>(bytes) - 1);
  name[bytes - 1] = '\0';
  return CUDA_SUCCESS;
}

// Runtime and driver use the same attribute numbers.
CUresult device_attribute_value(int* value, CUdevice_attribute attribute, CUdevice ordinal) {
  const Device* device = device_of(ordinal);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto found = device_attribute(*device->description, ordinal, static_cast<cudaDeviceAttr>(attribute));
  if (!found) return CUDA_ERROR_INVALID_VALUE;
  *value = *found;
  return CUDA_SUCCESS;
}

// A device has only its primary context, represented by the device itself.
CUresult context_current(CUcontext* context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *context = reinterpret_cast<CUcontext>(&current_device());
  return CUDA_SUCCESS;
}

CUresult context_device(CUdevice* device) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *device = current_device().ordinal;
  return CUDA_SUCCESS;
}

CUresult address_range(CUdeviceptr* begin, size_t* bytes, CUdeviceptr address) {
  const auto block = process().allocations.find(address);
  if (!block) return CUDA_ERROR_NOT_FOUND;
  if (begin != nullptr) *begin = block->begin;
  if (bytes != nullptr) *bytes = block->bytes;
  return CUDA_SUCCESS;
}

struct Entry {
  std::string_view name;
  void* address;
  int since;
};

template <class Function>
Entry entry(std::string_view name, Function* function, int since) {
  return {name, reinterpret_cast<void*>(function), since};
}

}  // namespace

DriverFunction driver_function(const char* name) {
  static const Entry table[] = {
      entry("cuTensorMapEncodeTiled", encode_tiled, 12000),
      entry("cuTensorMapEncodeIm2col", encode_im2col, 12000),
      entry("cuTensorMapReplaceAddress", replace_address, 12000),
      entry("cuGetErrorName", get_error_name, 6000),
      entry("cuGetErrorString", get_error_string, 6000),
      entry("cuInit", init, 2000),
      entry("cuDriverGetVersion", driver_version, 2020),
      entry("cuDeviceGetCount", device_count, 2000),
      entry("cuDeviceGet", device_get, 2000),
      entry("cuDeviceGetName", device_name, 2000),
      entry("cuDeviceGetAttribute", device_attribute_value, 2000),
      entry("cuCtxGetCurrent", context_current, 4000),
      entry("cuCtxGetDevice", context_device, 2000),
      entry("cuMemGetAddressRange", address_range, 3020),
  };
  for (const Entry& known : table) {
    if (known.name == name) return {known.address, known.since};
  }
  return {};
}

}  // namespace ridge::runtime
