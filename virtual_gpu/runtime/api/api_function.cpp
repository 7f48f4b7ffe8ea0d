// Attributes, names and parameters of kernels.
#include <algorithm>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/work/launch.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

cudaError_t set_attribute(Kernel& kernel, const LoadedKernel& loaded, const Device& device,
                          cudaFuncAttribute attribute, int value) {
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: {
      uint32_t most = device.description->shared_bytes_per_block_optin;
      if (value < 0 || static_cast<uint64_t>(value) + loaded.static_shared_bytes() > most)
        return cudaErrorInvalidValue;
      kernel.max_dynamic_shared_bytes = value;
      return cudaSuccess;
    }
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      kernel.carveout_percent = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      kernel.allows_big_clusters = value != 0;
      return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
      kernel.cluster[0] = value;
      return cudaSuccess;
    case cudaFuncAttributeRequiredClusterHeight:
      kernel.cluster[1] = value;
      return cudaSuccess;
    case cudaFuncAttributeRequiredClusterDepth:
      kernel.cluster[2] = value;
      return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaFuncAttributes attributes_of(const Kernel& kernel, const LoadedKernel& loaded, const Device& device) {
  cudaFuncAttributes attributes{};
  attributes.sharedSizeBytes = loaded.static_shared_bytes();
  attributes.constSizeBytes = loaded.info->constant_bytes;
  attributes.localSizeBytes =
      loaded.cubin_arch ? loaded.cubin.stack_bytes : loaded.info->local_bytes_per_thread;
  attributes.maxThreadsPerBlock = static_cast<int>(max_threads_per_block(loaded, device));
  attributes.numRegs = static_cast<int>(loaded.cubin.registers_per_thread);
  attributes.ptxVersion = static_cast<int>(loaded.ptx_arch);
  attributes.binaryVersion = static_cast<int>(loaded.cubin_arch ? loaded.cubin_arch : loaded.ptx_arch);
  attributes.maxDynamicSharedSizeBytes = static_cast<int>(max_dynamic_shared_bytes(kernel, loaded, device));
  attributes.preferredShmemCarveout = kernel.carveout_percent;
  attributes.clusterDimMustBeSet = loaded.info->required_cluster[0] != 0;
  attributes.requiredClusterWidth =
      std::max(kernel.cluster[0], static_cast<int>(loaded.info->required_cluster[0]));
  attributes.requiredClusterHeight =
      std::max(kernel.cluster[1], static_cast<int>(loaded.info->required_cluster[1]));
  attributes.requiredClusterDepth =
      std::max(kernel.cluster[2], static_cast<int>(loaded.info->required_cluster[2]));
  attributes.nonPortableClusterSizeAllowed = kernel.allows_big_clusters;
  return attributes;
}

template <typename Use>
cudaError_t with_kernel(const void* function, Use use) {
  return call([&] {
    Kernel* kernel = registry().find_kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    Device& device = current_device();
    return use(*kernel, kernel->binary->load(*kernel, device), device);
  });
}

}  // namespace

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_kernel(function, [&](Kernel& kernel, const LoadedKernel& loaded, Device& device) {
    return set_attribute(kernel, loaded, device, attribute, value);
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  if (!attributes) return record(cudaErrorInvalidValue);
  return with_kernel(function, [&](Kernel& kernel, const LoadedKernel& loaded, Device& device) {
    *attributes = attributes_of(kernel, loaded, device);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
  if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
    return record(cudaErrorInvalidValue);
  return with_kernel(function, [](Kernel&, const LoadedKernel&, Device&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return call([&] {
    Kernel* kernel = registry().find_kernel(function);
    if (!name) return cudaErrorInvalidValue;
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    *name = kernel->name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* bytes) {
  return with_kernel(function, [&](Kernel&, const LoadedKernel& loaded, Device&) {
    if (!offset || index >= loaded.info->parameters.size()) return cudaErrorInvalidValue;
    *offset = loaded.info->parameters[index].offset;
    if (bytes) *bytes = loaded.info->parameters[index].bytes;
    return cudaSuccess;
  });
}
