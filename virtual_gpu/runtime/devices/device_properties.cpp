#include "virtual_gpu/runtime/devices/device_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace ridge::runtime {
namespace {

// The limits that compute capabilities 7.5 to 9.0 share (CUDA C++ Programming Guide, technical
// specifications), for programs that print or check them.
void fill_texture_limits(cudaDeviceProp& p) {
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.surfaceAlignment = 512;
  p.maxTexture1D = 131072;
  p.maxTexture1DMipmap = 32768;
  for (int& size : p.maxTexture2D)
    size = 65536;
  p.maxTexture2D[0] = 131072;
  for (int& size : p.maxTexture2DMipmap)
    size = 32768;
  p.maxTexture2DLinear[0] = 131072;
  p.maxTexture2DLinear[1] = 65000;
  p.maxTexture2DLinear[2] = 2097120;
  for (int& size : p.maxTexture2DGather)
    size = 32768;
  for (int& size : p.maxTexture3D)
    size = 16384;
  p.maxTexture3DAlt[0] = p.maxTexture3DAlt[1] = 8192;
  p.maxTexture3DAlt[2] = 32768;
  p.maxTextureCubemap = 32768;
  p.maxTexture1DLayered[0] = 32768;
  p.maxTexture1DLayered[1] = 2048;
  p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = 32768;
  p.maxTexture2DLayered[2] = 2048;
  p.maxTextureCubemapLayered[0] = 32768;
  p.maxTextureCubemapLayered[1] = 2046;
  p.maxSurface1D = 32768;
  p.maxSurface2D[0] = 131072;
  p.maxSurface2D[1] = 65536;
  for (int& size : p.maxSurface3D)
    size = 16384;
  p.maxSurface1DLayered[0] = 32768;
  p.maxSurface1DLayered[1] = 2048;
  p.maxSurface2DLayered[0] = p.maxSurface2DLayered[1] = 32768;
  p.maxSurface2DLayered[2] = 2048;
  p.maxSurfaceCubemap = 32768;
  p.maxSurfaceCubemapLayered[0] = 32768;
  p.maxSurfaceCubemapLayered[1] = 2046;
}

int clamp_to_int(uint64_t value) {
  return static_cast<int>(std::min<uint64_t>(value, std::numeric_limits<int>::max()));
}

}  // namespace

// From compute capability 8.0 on, up to three quarters of L2 may be set aside (CUDA C++ Best
// Practices Guide, L2 set-aside; 30 of an A100's 40 MB).
uint64_t persisting_l2_bytes(const warp_model::DeviceDescription& device) {
  return device.compute_major >= 8 ? device.l2_bytes / 4 * 3 : 0;
}

cudaDeviceProp device_properties(const warp_model::DeviceDescription& device, int ordinal) {
  cudaDeviceProp p{};
  std::string name = fmt::format("{} (virtual)", device.product_name);
  std::memcpy(p.name, name.data(), std::min(name.size(), sizeof p.name - 1));
  std::memcpy(p.uuid.bytes, "ridge-virtual-", 14);
  p.uuid.bytes[15] = static_cast<char>(ordinal);
  p.totalGlobalMem = device.memory_bytes;
  p.sharedMemPerBlock = device.shared_bytes_per_block;
  p.regsPerBlock = static_cast<int>(device.registers_per_block);
  p.warpSize = 32;
  p.memPitch = std::numeric_limits<int>::max();
  p.maxThreadsPerBlock = static_cast<int>(device.max_threads_per_block);
  p.maxThreadsDim[0] = static_cast<int>(device.max_block_x);
  p.maxThreadsDim[1] = static_cast<int>(device.max_block_y);
  p.maxThreadsDim[2] = static_cast<int>(device.max_block_z);
  p.maxGridSize[0] = static_cast<int>(device.max_grid_x);
  p.maxGridSize[1] = static_cast<int>(device.max_grid_y);
  p.maxGridSize[2] = static_cast<int>(device.max_grid_z);
  p.totalConstMem = 64 * 1024;
  p.major = static_cast<int>(device.compute_major);
  p.minor = static_cast<int>(device.compute_minor);
  fill_texture_limits(p);
  p.multiProcessorCount = static_cast<int>(device.multiprocessors);
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.pciBusID = 1 + ordinal;
  p.asyncEngineCount = 3;
  p.unifiedAddressing = 1;
  p.memoryBusWidth = static_cast<int>(device.memory_bus_bits);
  p.l2CacheSize = clamp_to_int(device.l2_bytes);
  p.persistingL2CacheMaxSize = clamp_to_int(persisting_l2_bytes(device));
  // As reported by an A100 and an H100.
  p.accessPolicyMaxWindowSize = p.persistingL2CacheMaxSize == 0 ? 0 : 134213632;
  p.maxThreadsPerMultiProcessor = static_cast<int>(device.max_threads_per_sm());
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = device.shared_bytes_per_sm;
  p.regsPerMultiprocessor = static_cast<int>(device.registers_per_sm);
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.computePreemptionSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = device.shared_bytes_per_block_optin;
  p.maxBlocksPerMultiProcessor = static_cast<int>(device.max_blocks_per_sm);
  p.reservedSharedMemPerBlock = device.shared_bytes_reserved;
  p.hostRegisterSupported = 1;
  p.memoryPoolsSupported = 1;
  p.clusterLaunch = device.compute_major >= 9;
  p.deviceNumaId = -1;
  p.hostNumaId = -1;
  return p;
}

}  // namespace ridge::runtime
